import { spawn, spawnSync } from 'node:child_process';
import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { logPath } from '../../../src/log/location.ts';
import { SAMPLE } from './sample.ts';

const BINARY = new URL('../../../bin/planfold.js', import.meta.url).pathname;

let home: string;
let log: string;
let env: NodeJS.ProcessEnv;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'planfold-show-'));
  log = logPath(join(home, 'data'), '/home/ada/greeter', 's1');
  mkdirSync(join(log, '..'), { recursive: true });
  writeFileSync(log, SAMPLE.map((event) => `${JSON.stringify(event)}\n`).join(''));
  env = {
    PATH: process.env['PATH'],
    HOME: home,
    PLANFOLD_HOME: join(home, 'data'),
    XDG_CACHE_HOME: mkdtempSync(join(tmpdir(), 'planfold-cache-')),
  };
});

function planfold(...args: string[]) {
  const options = { env, cwd: home, encoding: 'utf8' } as const;
  const { status, stdout, stderr } = spawnSync(process.execPath, [BINARY, ...args], options);
  return { status, stdout, stderr };
}

test('shows a session by its id and by its file, under both names of the command', () => {
  const { status, stdout, stderr } = planfold('show', 's1');
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  expect(stdout).toContain('2 turns · 9 requests');
  expect(stdout).toContain('$0.0347\n');
  expect(planfold('show', log).stdout).toBe(stdout);
  expect(planfold('sessions', 'show', 's1').stdout).toBe(stdout);
});

test('writes a page for nobody else to read, and leaves nothing beside it', () => {
  expect(planfold('show', 's1', '--html', 'page.html').stdout).toBe('Wrote page.html\n');
  const page = join(home, 'page.html');
  expect(readFileSync(page, 'utf8')).toMatch(/^<!doctype html>[^]*<\/html>\n$/);
  expect(statSync(page).mode & 0o777).toBe(0o600);
  expect(planfold('show', 's1', '--html', '-').stdout).toBe(readFileSync(page, 'utf8'));
  expect(planfold('sessions', 'show', 's1', '--html', 'page.html').status).toBe(0);
  expect(readdirSync(home).toSorted()).toEqual(['data', 'page.html']);
});

test('a page goes to where a link leads, and the link stays', () => {
  writeFileSync(join(home, 'real.html'), 'old');
  symlinkSync('real.html', join(home, 'link.html'));
  expect(planfold('show', 's1', '--html', 'link.html').status).toBe(0);
  expect(readFileSync(join(home, 'real.html'), 'utf8')).toContain('<!doctype html>');
});

test.each([
  ['data', 'data is no file; give --html the name of one, or - for stdout.'],
  ['/dev/null', '/dev/null is no file; give --html the name of one, or - for stdout.'],
  ['none/page.html', 'none/page.html cannot be written: ENOENT'],
])('refuses to write to %s', (file, message) => {
  const { status, stdout, stderr } = planfold('show', 's1', '--html', file);
  expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
  expect(stderr).toContain(message);
});

test.each(['nobody', 'data'])('`%s` is no session, and the way out is said', (name) => {
  const { status, stderr } = planfold('show', name);
  expect(status).toBe(1);
  expect(stderr).toBe(
    `planfold: \`${name}\` is neither a log nor the id of a stored session; ` +
      '`planfold sessions list` shows those that are stored.\n',
  );
});

test('a log that ends in half a line shows as far as it goes, and stays as it is', () => {
  const whole = planfold('show', 's1').stdout;
  appendFileSync(log, '{"seq":99,"time":"2026');
  const text = readFileSync(log, 'utf8');
  expect(planfold('show', 's1').stdout).toBe(whole);
  expect(readFileSync(log, 'utf8')).toBe(text);
});

test('a log of half a line is no session', () => {
  writeFileSync(log, '{"seq":1');
  expect(planfold('show', 's1').stderr).toContain('its first line is not whole');
});

test('whoever stops reading gets no complaint', async () => {
  const many = Array.from({ length: 20 }, () => SAMPLE.slice(1)).flat();
  const events = [SAMPLE[0], ...many].map((event, index) => ({ ...event, seq: index + 1 }));
  writeFileSync(log, events.map((event) => `${JSON.stringify(event)}\n`).join(''));
  const child = spawn(process.execPath, [BINARY, 'show', 's1'], { env });
  child.stdout.once('data', () => child.stdout.destroy());
  let complaint = '';
  child.stderr.on('data', (text) => {
    complaint += text;
  });
  const status = await new Promise((resolve) => child.once('close', resolve));
  expect({ status, complaint }).toEqual({ status: 0, complaint: '' });
});

test('a session can be read whatever is configured now; its cost is left out then', () => {
  mkdirSync(join(home, 'config', 'planfold'), { recursive: true });
  writeFileSync(join(home, 'config', 'planfold', 'config.json'), '{"modes": 1');
  env['XDG_CONFIG_HOME'] = join(home, 'config');
  const { status, stdout } = planfold('show', 's1');
  expect(status).toBe(0);
  expect(stdout).toContain('2 turns · 9 requests');
  expect(stdout).not.toContain('$0.0347');
});
