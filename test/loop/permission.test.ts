import { describe, expect, test } from 'vitest';
import type { Grant } from '../../src/log/events.ts';
import {
  type Approval,
  type CallFacts,
  decide,
  type Decision,
  describeGrant,
} from '../../src/loop/permission.ts';
import type { SandboxMode } from '../../src/sandbox/policy.ts';
import { type Effects, READ_ONLY } from '../../src/tools/tool.ts';

const CHANGING: Effects = { ...READ_ONLY, readOnly: false };
const inside = (path: string) => ({ path, real: path, inside: true });
const outside = (path: string) => ({ path, real: path, inside: false });

const read = (...paths: CallFacts['paths']): CallFacts => ({
  tool: 'read',
  effects: READ_ONLY,
  paths,
});
const write = (...paths: CallFacts['paths']): CallFacts => ({
  tool: 'write',
  effects: CHANGING,
  paths,
});
const bash = (sandbox: SandboxMode, escalated = false, argv?: string[]): CallFacts => ({
  tool: 'bash',
  effects: { readOnly: false, destructive: true, idempotent: false, openWorld: true },
  paths: [],
  command: { argv: argv ?? ['git', 'status'], sandbox, escalated },
});
// A tool of a server: what it does, nothing here can tell or confine.
const foreign: CallFacts = { tool: 'mcp__x__y', effects: CHANGING, paths: [] };

type Kind = Decision['kind'];
type Row = [
  name: string,
  call: CallFacts,
  sandbox: SandboxMode,
  ask: Kind,
  auto: Kind,
  never: Kind,
];

// What becomes of a call under each approval, with nothing allowed before.
const TABLE: Row[] = [
  ['read inside', read(inside('/w/a')), 'workspace-write', 'run', 'run', 'run'],
  ['read inside, read-only', read(inside('/w/a')), 'read-only', 'run', 'run', 'run'],
  ['read inside, off', read(inside('/w/a')), 'off', 'run', 'run', 'run'],
  ['read outside', read(outside('/x')), 'workspace-write', 'ask', 'ask', 'refuse'],
  ['read outside, off', read(outside('/x')), 'off', 'ask', 'ask', 'refuse'],
  ['read without a path', read(), 'read-only', 'run', 'run', 'run'],
  ['write inside', write(inside('/w/a')), 'workspace-write', 'ask', 'run', 'run'],
  ['write inside, off', write(inside('/w/a')), 'off', 'ask', 'run', 'run'],
  ['write inside, read-only', write(inside('/w/a')), 'read-only', 'refuse', 'refuse', 'refuse'],
  ['write outside', write(outside('/x')), 'workspace-write', 'ask', 'ask', 'refuse'],
  ['write outside, read-only', write(outside('/x')), 'read-only', 'refuse', 'refuse', 'refuse'],
  ['write both', write(inside('/w/a'), outside('/x')), 'off', 'ask', 'ask', 'refuse'],
  ['bash confined', bash('workspace-write'), 'workspace-write', 'ask', 'run', 'run'],
  ['bash confined, read-only', bash('read-only'), 'read-only', 'ask', 'run', 'run'],
  ['bash off', bash('off'), 'off', 'ask', 'ask', 'refuse'],
  ['bash escalated', bash('off', true), 'workspace-write', 'ask', 'ask', 'refuse'],
  ['bash escalated, read-only', bash('off', true), 'read-only', 'ask', 'ask', 'refuse'],
  ['bash where nothing confines', bash('off'), 'read-only', 'ask', 'ask', 'refuse'],
  ['foreign tool', foreign, 'workspace-write', 'ask', 'ask', 'refuse'],
  ['foreign tool, off', foreign, 'off', 'ask', 'ask', 'refuse'],
];

describe.each(TABLE)('%s', (...row) => {
  const [, call, sandbox, ...kinds] = row;
  test.each<[Approval, Kind]>([
    ['ask', kinds[0]],
    ['auto', kinds[1]],
    ['never', kinds[2]],
  ])('%s', (approval, kind) => {
    expect(decide(call, { sandbox, approval }, []).kind).toBe(kind);
  });
});

const ASK = { sandbox: 'workspace-write', approval: 'ask' } as const;

function grantOf(call: CallFacts): Grant {
  const decision = decide(call, { ...ASK, sandbox: call.command?.sandbox ?? 'off' }, []);
  if (decision.kind !== 'ask' || !decision.grant) throw new Error('Nothing is offered.');
  return decision.grant;
}

describe('a grant', () => {
  test.each<[string, CallFacts, CallFacts, boolean]>([
    ['the same file', write(inside('/w/a')), write(inside('/w/a')), true],
    ['another file', write(inside('/w/a')), write(inside('/w/b')), false],
    ['one file more', write(inside('/w/a')), write(inside('/w/a'), inside('/w/b')), false],
    ['a file below', read(outside('/x')), read(outside('/x/y')), false],
    ['another tool', write(inside('/w/a')), { ...write(inside('/w/a')), tool: 'edit' }, false],
    ['the same command', bash('workspace-write'), bash('workspace-write'), true],
    ['a narrower sandbox', bash('workspace-write'), bash('read-only'), true],
    ['no sandbox', bash('workspace-write'), bash('off', true), false],
    ['no sandbox, allowed so', bash('off', true), bash('off', true), true],
    ['a sandbox, allowed without', bash('off', true), bash('workspace-write'), true],
    ['another subcommand', bash('off'), bash('off', false, ['git', 'push']), false],
    [
      'what cannot be parsed',
      bash('off'),
      {
        ...bash('off'),
        command: {
          argv: undefined,
          sandbox: 'off',
          escalated: false,
        },
      },
      false,
    ],
    ['a foreign tool', foreign, foreign, true],
  ])('%s', (...row) => {
    const [, allowed, call, covered] = row;
    const grants = [grantOf(allowed)];
    expect(decide(call, ASK, grants).kind).toBe(covered ? 'run' : 'ask');
    if (covered) expect(decide(call, { ...ASK, approval: 'never' }, grants).kind).toBe('run');
  });

  test('opens nothing that the sandbox keeps read-only', () => {
    const call = write(inside('/w/a'));
    const grants = [grantOf(call)];
    expect(decide(call, { sandbox: 'read-only', approval: 'auto' }, grants).kind).toBe('refuse');
  });

  test('a command whose words cannot be told is not offered for the session', () => {
    const call: CallFacts = {
      ...bash('off'),
      command: { argv: undefined, sandbox: 'off', escalated: false },
    };
    expect(decide(call, ASK, [])).toEqual({ kind: 'ask', outside: [] });
  });

  test('reads as what it allows', () => {
    expect(describeGrant(grantOf(bash('workspace-write')))).toBe('`git status …`');
    expect(describeGrant(grantOf(bash('off', true, ['rm', 'a b'])))).toBe(
      "`rm 'a b'`, not confined",
    );
    expect(describeGrant(grantOf(write(inside('/w/a'))))).toBe('write /w/a');
    expect(describeGrant(grantOf(foreign))).toBe('mcp__x__y');
  });
});

test('a question says what is left: the workspace with where a link leads, or the sandbox', () => {
  const link = { path: '/w/link', real: '/etc/passwd', inside: false };
  expect(decide(read(link), ASK, [])).toMatchObject({
    outside: ['/w/link (leads to /etc/passwd)'],
  });
  expect(decide(bash('off', true), ASK, [])).toMatchObject({ escalated: true });
  expect(decide(bash('off'), ASK, [])).not.toHaveProperty('escalated');
});

test('a refusal names the option that a person can change', () => {
  const never = { ...ASK, approval: 'never' as const };
  expect(decide(read(outside('/x')), never, [])).toMatchObject({
    reason: expect.stringMatching(/\/x.*`approval`/s),
  });
  expect(decide(write(inside('/w/a')), { ...ASK, sandbox: 'read-only' }, [])).toMatchObject({
    reason: expect.stringContaining('option `sandbox`'),
  });
});
