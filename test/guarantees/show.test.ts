import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { HAS_BROWSER, lookAt } from '../harness/browser.ts';
import { type Editor, openEditor } from '../harness/editor.ts';
import { type ModelServer, startModelServer } from '../harness/modelServer.ts';
import { answer, call } from '../harness/sse.ts';

const BINARY = new URL('../../bin/planfold.js', import.meta.url).pathname;

const HOSTILE =
  '</script><script>document.title="ran"</script><img src=x onerror="document.title=\'ran\'">' +
  '<svg onload=document.title="ran"> [link](javascript:document.title="ran") ' +
  '\u{1b}[31mred\u{1b}[0m \u{202e}desrever\u{202c} </style></pre></details>';

let server: ModelServer;
let editor: Editor;
beforeAll(async () => {
  server = await startModelServer();
  const answers = {
    elicitation: async () => ({
      action: 'accept' as const,
      content: { decision: 'approve', feedback: HOSTILE },
    }),
  };
  editor = await openEditor({ server, answers, files: { 'a.txt': `${HOSTILE}\n` } });
  await editor.setMode('plan');
  server.enqueue(
    answer({
      reasoning: HOSTILE,
      text: HOSTILE,
      calls: [
        { id: 'c1', name: 'bash', arguments: { command: 'cat a.txt', description: HOSTILE } },
      ],
    }),
    call(
      'exit_plan_mode',
      { plan: `# ${HOSTILE}\n\n\`\`\`\n${'long '.repeat(200)}\n\`\`\`` },
      'c2',
    ),
    call('edit', { path: 'a.txt', old_string: 'red', new_string: `blue${HOSTILE}` }, 'c3'),
    answer({ text: `Done. ${HOSTILE}` }),
  );
  await editor.prompt(HOSTILE);
});
afterAll(async () => {
  await editor.close();
  await server.close();
});

function show(...args: string[]) {
  const { stdout, stderr, status } = spawnSync(process.execPath, [BINARY, ...args]);
  return { stdout: stdout.toString(), stderr: stderr.toString(), status };
}

describe('planfold show', () => {
  test('in a terminal: bands, plan, review and diff, and no text acts on it', () => {
    const { stdout, status } = show('sessions', 'show', editor.logPath);
    expect(status).toBe(0);
    expect(stdout).not.toMatch(/[\u{1b}\u{202e}]/u);
    expect(stdout).toContain('<U+202E>desrever');
    for (const words of ['┃ ◆ Mode plan', '→ approved', '◆ Mode default', '-</script>', 'Done. ']) {
      expect(stdout).toContain(words);
    }
  });

  test('as a page: whole, for its owner alone, without a script; - is stdout', () => {
    const file = join(mkdtempSync(join(tmpdir(), 'planfold-page-')), 'page.html');
    expect(show('show', editor.logPath, '--html', file).stdout).toBe(`Wrote ${file}\n`);
    const page = readFileSync(file, 'utf8');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(show('show', editor.logPath, '--html', '-').stdout).toBe(page);
    expect(page).toContain('default-src &#39;none&#39;');
    expect(page).not.toMatch(/<script|<img src=x|<svg onload|href="javascript:|\u{1b}|\u{202e}/u);
  });

  test.skipIf(!HAS_BROWSER)(
    'in a browser nothing of it runs, and a phone need not scroll',
    async () => {
      const file = join(mkdtempSync(join(tmpdir(), 'planfold-page-')), 'page.html');
      expect(show('show', editor.logPath, '--html', file).status).toBe(0);
      const probe = '[document.title, document.documentElement.scrollWidth]';
      const { value, events } = await lookAt(file, { width: 375, probe });
      expect(value).toEqual([expect.stringContaining('</script><script>'), 375]);
      expect(events).toEqual([expect.stringMatching(/^loads file:/)]);
    },
  );
});
