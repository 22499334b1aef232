import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { renderPage } from '../../../src/cli/show/page.ts';
import { foldTimeline } from '../../../src/cli/show/timeline.ts';
import type { LogEvent } from '../../../src/log/events.ts';
import { HAS_BROWSER, lookAt } from '../../harness/browser.ts';
import { ATTACKS, HOSTILE } from './hostile.ts';
import { SAMPLE } from './sample.ts';
import { TOOLS } from './session.ts';

const directory = mkdtempSync(join(tmpdir(), 'planfold-page-'));
const PRICE = { input: 1.25, cachedInput: 0.125, output: 10 };
const pageOf = (events: readonly LogEvent[]) =>
  renderPage(foldTimeline(events, TOOLS), () => PRICE);

// `PLANFOLD_SCREENSHOTS` names a directory for pictures of what is looked at.
const pictures = process.env['PLANFOLD_SCREENSHOTS'];

async function see(
  name: string,
  page: string,
  look: { width: number; dark?: boolean; probe: string },
) {
  const path = join(directory, `${name}.html`);
  writeFileSync(path, page);
  const picture = pictures === undefined ? {} : { screenshot: join(pictures, `${name}.png`) };
  return lookAt(path, { ...look, ...picture });
}

// Everything is unfolded, clicked and pointed at; what was going to run has run by then.
const PROBE = `(async () => {
  for (const one of document.querySelectorAll('details')) one.open = true;
  for (const one of document.querySelectorAll('body *')) {
    one.dispatchEvent(new MouseEvent('mouseover', { bubbles: true }));
    if (one.tagName !== 'A') one.dispatchEvent(new MouseEvent('click', { bubbles: true }));
  }
  await new Promise((resolve) => setTimeout(resolve, 100));
  const all = [...document.querySelectorAll('*')];
  return {
    ran: document.documentElement.hasAttribute('data-ran'),
    scripts: document.scripts.length,
    handlers: all.filter((one) => [...one.attributes].some(({ name }) => /^on|^style$/.test(name)))
      .length,
    strangers: all.filter((one) => /^(iframe|object|embed|form|input|base|link)$/i
      .test(one.tagName)).length,
    links: [...document.links].filter(({ href }) => !/^(https?|mailto):/.test(href)).length,
    images: [...document.images].map(({ src }) => src),
    unseen: (document.body.textContent.match(
      /[\\u0000-\\u0008\\u000b-\\u001f\\u007f-\\u009f\\u200b\\u200e\\u200f\\u202a-\\u202e\\u2066-\\u2069]/g,
    ) ?? []).length,
    wider: document.documentElement.scrollWidth - innerWidth,
    text: document.body.innerText,
    title: document.title,
  };
})()`;

const HARMLESS = {
  ran: false,
  scripts: 0,
  handlers: 0,
  strangers: 0,
  links: 0,
  images: [],
  unseen: 0,
};

describe.skipIf(!HAS_BROWSER)('in a browser (skipped where there is no chromium)', () => {
  test.each([
    ['a phone', { width: 375 }],
    ['a desk at night', { width: 1100, dark: true }],
  ])('nothing of a hostile session runs on %s, and nothing leaves the page', async (name, look) => {
    const seen = await see(`hostile, ${name}`, pageOf(HOSTILE), { ...look, probe: PROBE });
    expect(seen.value).toMatchObject(HARMLESS);
    expect(seen.events).toEqual([expect.stringMatching(/^loads file:/)]);
    const { text, title, wider } = seen.value as { text: string; title: string; wider: number };
    expect(wider).toBeLessThanOrEqual(0);
    for (const attack of ATTACKS.slice(0, 10)) expect(text).toContain(attack);
    expect(title).toContain('</script><script>');
    expect(text).toContain('<U+202E>gnp.exe<U+202C>');
    expect(text).toContain('␛[31mred');
  });

  test('the escaping holds by itself, without the policy of the page', async () => {
    const page = pageOf(HOSTILE).replace(/<meta http-equiv="Content-Security-Policy"[^>]*>/, '');
    const seen = await see('without policy', page, { width: 375, probe: PROBE });
    expect(seen.value).toMatchObject(HARMLESS);
    expect(seen.events).toEqual([expect.stringMatching(/^loads file:/)]);
  });

  test('the policy holds by itself, without the escaping', async () => {
    const [head = '', body = ''] = pageOf(SAMPLE).split('<main>');
    // A page may always lead elsewhere, and what is not shown cannot be looked at.
    const attacks = ATTACKS.filter((attack) => !/http-equiv|<style>/.test(attack));
    const page = `${head}<main>${attacks.join('\n')}${body}`;
    const seen = await see('without escaping', page, { width: 375, probe: PROBE });
    expect(seen.value).toMatchObject({ ran: false });
    expect(seen.events.join('\n')).not.toMatch(/loads http/);
  });

  test('what runs is seen by this test', async () => {
    const page = `<!doctype html><p>${ATTACKS[0]}</p>`;
    const seen = await see('control', page, { width: 375, probe: PROBE });
    expect(seen.value).toMatchObject({ ran: true, scripts: 1 });
  });

  test.each([
    ['a phone', { width: 375 }],
    ['a phone at night', { width: 375, dark: true }],
    ['a desk', { width: 1100 }],
    ['a desk at night', { width: 1100, dark: true }],
  ])('a session fits on %s', async (name, look) => {
    const probe = `[document.documentElement.scrollWidth - innerWidth,
      getComputedStyle(document.body).backgroundColor, document.title]`;
    const seen = await see(`sample, ${name}`, pageOf(SAMPLE), { ...look, probe });
    const ground = 'dark' in look ? 'rgb(21, 23, 27)' : 'rgb(250, 250, 248)';
    expect(seen.value).toEqual([0, ground, 'Greet people in their own language']);
    expect(seen.events).toEqual([expect.stringMatching(/^loads file:/)]);
  });
});

test('the page names what it holds', () => {
  // What is compared is short, so that a difference shows.
  const page = pageOf(SAMPLE);
  expect(page).toContain('<li>9 requests</li><li>44,940 tokens</li><li>$0.0459</li>');
  expect(page).toContain('<section class="band plan" aria-label="plan mode">');
  expect(page).toContain('<blockquote class="feedback" dir="auto">Say where the words live.');
  expect(page).toContain('<ins dir="auto">import { HELLO, type Language } from');
});
