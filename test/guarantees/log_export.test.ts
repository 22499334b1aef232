import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { installPacked } from '../harness/packed.ts';

const TSC = new URL('../../node_modules/.bin/tsc', import.meta.url).pathname;
const RECORDING = new URL('../../recordings/plan-mode/session.jsonl', import.meta.url).pathname;
const TIME = '2026-01-01T00:00:00.000Z';

let project: string;
beforeAll(() => {
  ({ project } = installPacked());
  // A recording has a name in the place of each time; a log has the time.
  const log = readFileSync(RECORDING, 'utf8').replaceAll('{{time}}', TIME);
  writeFileSync(join(project, 'session.jsonl'), log);
});

function run(command: string, ...args: string[]): string {
  const { stdout, stderr } = spawnSync(command, args, { cwd: project, encoding: 'utf8' });
  return stdout + stderr;
}

test('plain JavaScript reads a log and folds it', () => {
  const code = `
    import { foldMode, foldState, readLog } from 'planfold/log';
    const events = readLog('session.jsonl');
    const entered = events.findIndex((event) => event.type === 'mode/set') + 1;
    console.log(foldMode(events.slice(0, entered)), foldMode(events));
    console.log(foldState(events).plans.approved.split('\\n')[0]);
  `;
  writeFileSync(join(project, 'reader.js'), code);
  expect(run(process.execPath, 'reader.js')).toBe('plan default\n# Greet without a name\n');
});

test('a damaged log is refused by the class that is exported', () => {
  writeFileSync(join(project, 'damaged.jsonl'), '{"seq":1,"type":"nonsense"}\n');
  const code = `
    import { DamagedLogError, readLog } from 'planfold/log';
    try {
      readLog('damaged.jsonl');
    } catch (error) {
      console.log(error instanceof DamagedLogError, error.message);
    }
  `;
  writeFileSync(join(project, 'damaged.js'), code);
  expect(run(process.execPath, 'damaged.js')).toMatch(/^true damaged\.jsonl, line 1: unknown/);
});

const CONSUMER = `
  import { evolve, EMPTY_STATE, type LogEvent, readLog, type SessionState } from 'planfold/log';

  const state: SessionState = readLog('session.jsonl').reduce(evolve, EMPTY_STATE);
  export const mode: string = state.mode;

  export function describe(event: LogEvent): string {
    switch (event.type) {
      case 'turn/end':
        return event.stopReason;
      case 'ask':
        return event.kind === 'review' ? event.title : event.callId;
      case 'tool/result':
        return event.content.map((block) => (block.type === 'text' ? block.text : '')).join('');
      default:
        return event.time;
    }
  }
`;

// No package but this one is there: neither zod nor the types of Node.
function check(code: string): string {
  writeFileSync(join(project, 'consumer.ts'), code);
  const options = { module: 'nodenext', target: 'es2023', strict: true, noEmit: true, types: [] };
  const config = { compilerOptions: options, files: ['consumer.ts'] };
  writeFileSync(join(project, 'tsconfig.json'), JSON.stringify(config));
  return run(TSC);
}

test('TypeScript narrows the events without any other package', () => {
  expect(check(CONSUMER)).toBe('');
});

test('TypeScript refuses what an event does not have', () => {
  const wrong = CONSUMER.replace('event.stopReason', 'event.messageId');
  expect(check(wrong)).toContain("Property 'messageId' does not exist");
});
