import { describe, expect, test } from 'vitest';
import type { GitPlaces } from '../../src/sandbox/git.ts';
import type { Confinement } from '../../src/sandbox/policy.ts';
import { toSeatbeltProfile } from '../../src/sandbox/seatbelt.ts';

const NO_GIT: GitPlaces = { directories: [], linked: [] };

function profileOf(confinement: Partial<Confinement> = {}, git = NO_GIT): string {
  const base = { mode: 'workspace-write', network: false } as const;
  const lists = { roots: ['/w'], readable: [], secrets: [] };
  return toSeatbeltProfile({ ...base, ...lists, ...confinement }, git);
}

/** The rules of a profile, each with its quoted paths. */
function rulesOf(profile: string): string[] {
  return profile.split('\n').filter((line) => line.startsWith('('));
}

/** What must hold of a profile for it to be read at all. */
function expectBalanced(profile: string): void {
  const bare = profile.replace(/"(?:[^"\\]|\\.)*"/gs, '""');
  expect(bare).not.toContain('\\');
  expect(bare.split('(').length).toBe(bare.split(')').length);
  expect(bare.replaceAll('""', '')).not.toContain('"');
}

describe('writing', () => {
  test('is denied first, and then allowed in the roots', () => {
    const rules = rulesOf(profileOf({ roots: ['/w', '/x y'] }));
    const denied = rules.indexOf('(deny file-write*)');
    const allowed = rules.findIndex((rule) =>
      rule.startsWith('(allow file-write* (subpath "/w") (subpath "/x y")'),
    );
    expect(denied).toBeGreaterThan(rules.indexOf('(allow default)'));
    expect(allowed).toBeGreaterThan(denied);
  });

  test('read-only allows it for the devices that keep nothing, and nowhere else', () => {
    const allowed = rulesOf(profileOf({ mode: 'read-only' })).filter((rule) =>
      rule.startsWith('(allow file-write'),
    );
    expect(allowed).toEqual([
      '(allow file-write* (literal "/dev/null") (literal "/dev/tty") (literal "/dev/dtracehelper"))',
    ]);
  });

  test('without roots only the scratch directories are written', () => {
    const profile = profileOf({ roots: [] });
    expect(profile).toContain(
      '(allow file-write* (subpath "/private/tmp") (subpath "/private/var/folders"))',
    );
    expectBalanced(profile);
  });
});

describe('git', () => {
  test.each(['hooks', 'config', 'config.worktree', 'commondir', 'modules', 'worktrees'])(
    '%s is not written, there or not',
    (name) => {
      const rule = rulesOf(profileOf()).find((one) => one.startsWith('(deny file-write* (subpath'));
      expect(rule).toContain(`(subpath "/w/.git/${name}")`);
    },
  );

  test('the same holds where the repository lies elsewhere, and where its hooks do', () => {
    const git = { directories: ['/w/a/bare'], linked: ['/w/b/hooks'] };
    const rules = rulesOf(profileOf({}, git));
    const denied = rules.find((rule) => rule.startsWith('(deny file-write* (subpath'));
    expect(denied).toContain('(subpath "/w/a/bare/hooks")');
    expect(denied).toContain('(subpath "/w/b/hooks")');
    const fixed = rules.find((rule) => rule.startsWith('(deny file-write-unlink'));
    for (const path of ['/w/a', '/w/a/bare', '/w/b']) expect(fixed).toContain(`"${path}"`);
  });

  test('a file that names the repository is not written', () => {
    expect(profileOf()).toContain(
      '(deny file-write* (require-all (vnode-type REGULAR-FILE) (literal "/w/.git")))',
    );
  });

  test('nothing is denied that read-only denies anyway', () => {
    expect(profileOf({ mode: 'read-only' })).not.toContain('.git');
  });
});

test('what lies on the way to something kept is not moved', () => {
  const rules = rulesOf(
    profileOf({ roots: ['/w', '/w/a/b'], secrets: ['/w/.config/gh', '/elsewhere/key'] }),
  );
  const fixed = rules.find((rule) => rule.startsWith('(deny file-write-unlink'));
  for (const path of ['/w', '/w/a', '/w/a/b', '/w/.git', '/w/a/b/.git', '/w/.config']) {
    expect(fixed).toContain(`(literal "${path}")`);
  }
  expect(fixed).not.toContain('elsewhere');
});

test('secrets are neither read nor written, and what stays readable comes last', () => {
  const rules = rulesOf(profileOf({ secrets: ['/h/.ssh', '/h/.npmrc'], readable: ['/h/out'] }));
  const secret = rules.indexOf(
    '(deny file-read* file-write* (subpath "/h/.ssh") (subpath "/h/.npmrc"))',
  );
  expect(secret).toBeGreaterThan(rules.findIndex((rule) => rule.startsWith('(allow file-write*')));
  expect(rules.indexOf('(allow file-read* (subpath "/h/out"))')).toBeGreaterThan(secret);
});

test('the network is denied unless it is open', () => {
  expect(profileOf()).toContain('\n(deny network*)\n');
  expect(profileOf({ network: true })).not.toContain('network');
});

test.each([
  ['a quote', '/w/a"b', '"/w/a\\"b"'],
  ['a backslash', '/w/a\\b', '"/w/a\\\\b"'],
  ['a quote behind a backslash', '/w/a\\"b', '"/w/a\\\\\\"b"'],
  ['a parenthesis', '/w/a)b', '"/w/a)b"'],
  ['a rule', '/w") (allow file-write* (subpath "/', '"/w\\") (allow file-write* (subpath \\"/"'],
  ['a semicolon', '/w/;a', '"/w/;a"'],
  ['letters outside ASCII', '/w/ü🙅', '"/w/ü🙅"'],
  ['a line break', '/w/a\nb', '"/w/a\nb"'],
])('a path with %s stays one string', (_, path, quoted) => {
  const profile = profileOf({ roots: [path], secrets: [path], readable: [path] });
  expect(profile).toContain(`(subpath ${quoted})`);
  expectBalanced(profile);
});
