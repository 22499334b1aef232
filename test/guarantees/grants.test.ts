import { methods } from '@agentclientprotocol/sdk/unstable';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { foldGrants } from '../../src/log/folds.ts';
import { type Editor, openEditor, resultOf } from '../harness/editor.ts';
import { type ModelServer, startModelServer } from '../harness/modelServer.ts';
import { answer, call } from '../harness/sse.ts';

const of = methods.agent.session;

let server: ModelServer;
let editor: Editor;
let answers: string[];
let asked: string[];
beforeEach(async () => {
  server = await startModelServer();
  answers = [];
  asked = [];
  editor = await openEditor({
    server,
    answers: {
      async permission({ toolCall }) {
        asked.push(toolCall.toolCallId);
        const optionId = answers.shift() ?? 'reject_once';
        return { outcome: { outcome: 'selected', optionId } };
      },
    },
  });
});
afterEach(async () => {
  await editor.close();
  await server.close();
});

async function run(command: string, id: string, sessionId = editor.sessionId): Promise<boolean> {
  const before = asked.length;
  server.enqueue(call('bash', { command }, id), answer({ text: 'Done.' }));
  await editor.context.request(of.prompt, { sessionId, prompt: [{ type: 'text', text: 'Go' }] });
  return asked.length > before;
}

// Each of these does something else than `git status`, or might.
const HOSTILE = [
  'git',
  'git push',
  'git statusx',
  'gitstatus',
  'git stat us',
  'git -c core.fsmonitor=./evil status',
  'git --exec-path=. status',
  './git status',
  '/tmp/git status',
  'env git status',
  'sudo git status',
  'GIT_DIR=/tmp/evil git status',
  'git status; rm -rf .',
  'git status && rm -rf .',
  'git status || rm -rf .',
  'git status & rm -rf .',
  'git status | sh',
  'git status > .bashrc',
  'git status >> .bashrc',
  'git status 2>&1 >x',
  'git status < /etc/passwd',
  'git status $(rm -rf .)',
  'git status `rm -rf .`',
  'git status "$(rm -rf .)"',
  'git status\nrm -rf .',
  'git status\r\nrm -rf .',
  'git status $IFS',
  'git status <(rm -rf .)',
  '(git status; rm -rf .)',
  '{ git status; rm -rf .; }',
  'git status !!',
  'git status *',
  'git status ~/x',
  'git status # ; rm -rf .',
  'git\\ status',
  '"git status"',
  'eval git status',
  '=git status',
  'if git status',
];

test('a granted `git status` covers itself, with more arguments, and no hostile line', async () => {
  answers = ['allow_always'];
  expect(await run('git status', 'first')).toBe(true);
  expect(await run('git status', 'again')).toBe(false);
  expect(await run(' git  status --short "a b" ', 'more')).toBe(false);
  const covered: string[] = [];
  for (const [index, line] of HOSTILE.entries()) {
    if (!(await run(line, `hostile_${index}`))) covered.push(line);
  }
  expect(covered).toEqual([]);
});

test('a grant survives load, resume and fork, and is listed by /status', async () => {
  answers = ['allow_always'];
  await run('git status', 'first');
  const { sessionId, cwd } = editor;
  const stored = { sessionId, cwd, mcpServers: [] };
  await editor.context.request(of.resume, stored);
  expect(await run('git status', 'resumed')).toBe(false);
  await editor.context.request(of.load, stored);
  expect(await run('git status', 'loaded')).toBe(false);
  const fork = await editor.context.request<{ sessionId: string }>(of.fork, stored);
  expect(await run('git status', 'forked', fork.sessionId)).toBe(false);
  await editor.prompt('/status');
  expect(JSON.stringify(editor.updates().at(-1))).toContain('`git status …`');
});

test('the grant is a fact of the log: what was asked, and what was answered', async () => {
  answers = ['allow_always'];
  await run('rm build', 'first');
  const events = editor.log();
  expect(foldGrants(events)).toMatchObject([
    { tool: 'bash', command: { argv: ['rm', 'build'], open: false } },
  ]);
  expect(events.filter(({ type }) => type === 'answer')).toMatchObject([
    { outcome: 'allow_always' },
  ]);
  expect(await run('rm build src', 'wider')).toBe(true);
});

test('a file is granted for one tool and one file, and a link to another one is another', async () => {
  answers = ['allow_always', 'allow_once', 'reject_once', 'reject_once'];
  const write = (path: string, id: string) => ({
    id,
    name: 'write',
    arguments: { path, content: id },
  });
  server.enqueue(
    answer({
      calls: [
        write('a.txt', 'one'),
        write('./sub/../a.txt', 'same'),
        {
          id: 'link',
          name: 'bash',
          arguments: { command: 'touch other.txt; ln -sf other.txt a.txt' },
        },
        write('a.txt', 'linked'),
        write('b.txt', 'other'),
      ],
    }),
    answer({ text: 'Done.' }),
  );
  await editor.prompt('Go');
  expect(asked).toEqual(['one', 'link', 'linked', 'other']);
});

test('a command line that is no plain command is not offered for the session', async () => {
  answers = ['allow_always'];
  await run('true; true', 'first');
  const question = editor.frames.find(
    ({ message }) => (message as { method?: string }).method === 'session/request_permission',
  );
  expect(JSON.stringify(question)).not.toContain('allow_always');
  // Chosen all the same, it permits nothing.
  expect(resultOf(editor.log(), 'first').text).toContain('was not offered');
});

test("the reason of a rejection reaches the model, as the user's", async () => {
  const other = await openEditor({
    server,
    answers: {
      permission: async () => ({
        outcome: {
          outcome: 'selected',
          optionId: 'reject_once',
          _meta: { reason: 'Use the other script.' },
        },
      }),
    },
  });
  server.enqueue(call('bash', { command: 'make' }, 'rejected'), answer({ text: 'Fine.' }));
  await other.prompt('Go');
  const { text } = resultOf(other.log(), 'rejected');
  expect(text).toContain("The user rejected this call; it did not run. The user's reason:\nUse");
  await other.close();
});
