import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test, vi } from 'vitest';
import type { FoundSandbox, Sandbox } from '../../src/sandbox/policy.ts';
import { surveyTerritory } from '../../src/tools/territory.ts';
import {
  confined,
  found,
  hasBubblewrap,
  isRoot,
  makeVisible,
  put,
  removeVisible,
} from '../harness/confined.ts';

afterAll(removeVisible);

const makeHidden = () => realpathSync(mkdtempSync(join(tmpdir(), 'planfold-root-')));

/** A command line by which Node connects, and says `connected` or why not. */
function connect(to: object): string {
  const script = `require('net').connect(${JSON.stringify(to)})
    .on('connect', () => { console.log('connected'); process.exit() })
    .on('error', (error) => console.log(error.code))`;
  return `'${process.execPath}' -e "${script.replaceAll(/["\\$]/g, '\\$&')}"`;
}

function listen(server: Server, at: object): Promise<void> {
  return new Promise((resolve) => server.listen(at, resolve));
}

/** Where a command tries to write, each in its own way. */
const WRITES = [
  'touch "$OUT/new"',
  'echo x >> "$OUT/old"',
  'rm "$OUT/old"',
  'mv "$OUT/old" "$OUT/moved"',
  'ln "$OUT/old" linked && echo x >> linked',
  'ln -s "$OUT" out && touch out/new',
  'chmod 777 "$OUT/old"',
  'mount -o remount,rw / && touch "$OUT/new"',
  'mount -o remount,rw,bind "$OUT" && touch "$OUT/new"',
  'umount -l "$OUT" && touch "$OUT/new"',
  'unshare -Urm sh -c \'mount -o remount,rw,bind / ; touch "$OUT/new"\' && test -e "$OUT/new"',
  'mknod disk b 8 0',
  'touch /etc/planfold-new',
  'touch /sys/planfold-new',
  'cat /proc/sys/kernel/core_pattern > /proc/sys/kernel/core_pattern',
  'cat /proc/sys/vm/overcommit_memory > /proc/sys/vm/overcommit_memory',
  'echo h > /proc/sysrq-trigger',
  'touch /proc/1/root"$OUT"/new',
];

describe.skipIf(!hasBubblewrap)('nothing outside is written', () => {
  test.each(['workspace-write', 'read-only'] as const)('%s', async (mode) => {
    const root = makeVisible();
    const outside = makeVisible();
    put(outside, { old: 'old' });
    for (const write of WRITES) {
      const { exitCode, startError } = await confined(`OUT='${outside}'; ${write}`, {
        mode,
        roots: [root],
      });
      expect(startError).toBeUndefined();
      expect(exitCode, write).not.toBe(0);
      expect(readFileSync(join(outside, 'old'), 'utf8'), write).toBe('old');
      expect(existsSync(join(outside, 'new')), write).toBe(false);
    }
  });

  test('read-only: neither in the root nor anywhere else', async () => {
    const root = makeVisible();
    put(root, { old: 'old' });
    const places = [root, '/tmp', '/var/tmp', '/run', '/dev', '/dev/shm', '/', '/home', '/proc'];
    for (const place of places) {
      const { exitCode } = await confined(`touch '${place}/new' 2>&1`, {
        mode: 'read-only',
        roots: [root],
      });
      expect(exitCode, place).not.toBe(0);
    }
    const { output } = await confined('echo "$TMPDIR"; cat old; echo x > /dev/null && echo fine', {
      mode: 'read-only',
      roots: [root],
    });
    expect(output).toBe('\noldfine\n');
  });

  test('workspace-write: the root and a scratch directory are written', async () => {
    const root = makeVisible();
    const { output } = await confined('touch a && mktemp >/dev/null && ls -A "$TMPDIR" | wc -l', {
      roots: [root],
    });
    expect(output.trim()).toBe('1');
    expect(existsSync(join(root, 'a'))).toBe(true);
    expect((await confined('ls -A "$TMPDIR"', { roots: [root] })).output).toBe('');
  });
});

describe.skipIf(!hasBubblewrap)('roots', () => {
  test.each([
    'with spaces',
    `it's "quoted"`,
    'ünï🙅',
    'two\nlines',
    '$(touch x)',
    '-dash',
    'back\\slash',
  ])('a root named %j', async (name) => {
    const root = join(makeVisible(), name);
    mkdirSync(root);
    const { exitCode } = await confined('touch a && ! touch ../b', { roots: [root] });
    expect(exitCode).toBe(0);
    expect(existsSync(join(root, 'a'))).toBe(true);
  });

  test('a root below what is hidden is there alone', async () => {
    const [root, other] = [makeHidden(), makeHidden()];
    const { output } = await confined(`touch a && ls -d '${root}' '${other}' 2>/dev/null`, {
      roots: [root],
    });
    expect(output).toBe(`${root}\n`);
    expect(existsSync(join(root, 'a'))).toBe(true);
  });

  test.runIf(isRoot).each(['/tmp', '/var/tmp', '/var'])('%s as a root', async (root) => {
    const name = `planfold-new-${process.pid}`;
    const script = `touch ${name} && rm ${name} && echo fine`;
    expect((await confined(script, { roots: [root] })).output).toBe('fine\n');
    const { output } = await confined(`touch ${name} 2>/dev/null || echo refused`, {
      mode: 'read-only',
      roots: [root],
    });
    expect(output).toBe('refused\n');
  });

  test('a directory reached through a link is the one it leads to', async () => {
    const parent = makeVisible();
    mkdirSync(join(parent, 'real'));
    symlinkSync('real', join(parent, 'link'));
    const { output } = await confined(
      'touch a && pwd -P',
      { roots: [join(parent, 'real')] },
      {
        cwd: join(parent, 'link'),
      },
    );
    expect(output).toBe(`${join(parent, 'real')}\n`);
  });

  test('the way to a root inside another cannot be moved', async () => {
    const outer = makeVisible();
    const inner = join(outer, 'x/inner');
    mkdirSync(inner, { recursive: true });
    for (const roots of [
      [outer, inner],
      [inner, outer],
    ]) {
      const script = `cd '${outer}'; mv x y || mv x/inner z || touch x/inner/a x/b c && ls`;
      expect((await confined(script, { roots })).exitCode).toBe(0);
      expect(existsSync(join(outer, 'c'))).toBe(true);
      expect(existsSync(join(inner, 'a'))).toBe(true);
    }
  });
});

describe.skipIf(!hasBubblewrap)('the network', () => {
  test('is reached only where it is open', async () => {
    const server = createServer((socket) => socket.on('error', () => {}));
    await listen(server, { port: 0, host: '127.0.0.1' });
    const address = server.address();
    const port = typeof address === 'object' ? address?.port : undefined;
    const roots = [makeVisible()];
    const script = connect({ port, host: '127.0.0.1' });
    expect((await confined(script, { roots })).output).toBe('ECONNREFUSED\n');
    expect((await confined(script, { roots, network: true })).output).toBe('connected\n');
    server.close();
  });

  test.runIf(isRoot)('sockets of other programs are not there', async () => {
    const roots = [makeVisible()];
    const name = `planfold-${process.pid}.sock`;
    for (const path of [`/tmp/${name}`, `/run/${name}`, `/var/tmp/${name}`]) {
      const server = createServer((socket) => socket.on('error', () => {}));
      await listen(server, { path });
      const { output } = await confined(connect({ path }), { roots, network: true });
      expect(output, path).toBe('ENOENT\n');
      server.close();
    }
  });

  test('sockets without a file are not there', async () => {
    const path = `\0planfold-${process.pid}`;
    const server = createServer((socket) => socket.on('error', () => {}));
    const listening = await new Promise<boolean>((resolve) => {
      server.once('error', () => resolve(false)).listen({ path }, () => resolve(true));
    });
    if (!listening) return;
    const { output } = await confined(connect({ path }), { roots: [makeVisible()] });
    expect(output).toBe('ECONNREFUSED\n');
    server.close();
  });
});

describe.skipIf(!hasBubblewrap)('secrets', () => {
  test.each(['workspace-write', 'read-only'] as const)('are not read: %s', async (mode) => {
    const home = makeVisible();
    put(home, { '.ssh/id': 'KEY', '.npmrc': 'KEY', '.aws/a/b': 'KEY', 'work/a': '' });
    // One below another, and one that is named twice.
    const names = ['.ssh', '.ssh/id', '.npmrc', '.npmrc', '.aws/a', '.none'];
    const secrets = names.map((name) => join(home, name));
    const reads = `cat .ssh/id .npmrc .aws/a/b ../.ssh/id ../.npmrc ../.aws/a/b; ls ../.ssh; echo end`;
    for (const root of [home, join(home, 'work')]) {
      const { output } = await confined(reads, { mode, roots: [root], secrets });
      expect(output).toMatch(/end\n$/);
      expect(output).not.toContain('KEY');
    }
  });

  test('stay where they are, so that the next command does not find them', async () => {
    const home = makeVisible();
    put(home, { '.config/a/token': 'KEY', '.npmrc': 'KEY' });
    const secrets = [join(home, '.config/a'), join(home, '.npmrc')];
    const moves = 'mv .config c; mv .config/a b; mv .npmrc n; ln .npmrc l; rm -rf .config .npmrc';
    await confined(moves, { roots: [home], secrets });
    const { output } = await confined('cat c/a/token b/token n l .npmrc .config/a/token', {
      roots: [home],
      secrets,
    });
    expect(output).not.toContain('KEY');
    expect(readFileSync(join(home, '.config/a/token'), 'utf8')).toBe('KEY');
  });

  test('what stays readable is read and not written', async () => {
    const readable = makeHidden();
    put(readable, { out: 'whole' });
    const { output } = await confined(`cat '${readable}/out'; echo x > '${readable}/out'`, {
      roots: [makeHidden()],
      readable: [readable],
    });
    expect(output).toContain('whole');
    expect(readFileSync(join(readable, 'out'), 'utf8')).toBe('whole');
  });
});

test('a root that was replaced is none any more', () => {
  const parent = makeHidden();
  mkdirSync(join(parent, 'root'));
  const bounds = { roots: [join(parent, 'root')], spillDirectory: '/none', secrets: [] };
  expect(surveyTerritory(bounds).roots).toEqual([join(parent, 'root')]);
  rmSync(join(parent, 'root'), { recursive: true });
  symlinkSync('/', join(parent, 'root'));
  expect(surveyTerritory(bounds).roots).toEqual([]);
});

// Without rights over the machine, the sandbox is set up in another way.
const PLAIN = ['setpriv', '--reuid=65534', '--regid=65534', '--clear-groups'] as const;
const plain = ({ sandbox }: { sandbox: Sandbox }): FoundSandbox => ({
  sandbox: {
    ...sandbox,
    wrap(...given) {
      const { argv, release } = sandbox.wrap(...given);
      return { argv: [...PLAIN, ...argv], release };
    },
  },
});

test.runIf(hasBubblewrap && isRoot)('the same holds for who is not root', async () => {
  vi.spyOn(process, 'getuid').mockReturnValue(65_534);
  const [root, outside] = [makeVisible(), makeVisible()];
  put(outside, { secret: 'KEY', open: '' });
  for (const path of [root, outside, join(outside, 'open')]) chmodSync(path, 0o777);
  const script = `id -u; touch a && mktemp >/dev/null && echo written; echo x > '${outside}/open';
    touch '${outside}/new' /dev/shm/x; cat '${outside}/secret'; echo end`;
  const wanted = { roots: [root], secrets: [join(outside, 'secret')] };
  const { output } = await confined(script, wanted, {
    sandbox: 'sandbox' in found ? plain(found) : found,
  });
  vi.restoreAllMocks();
  expect(output).toMatch(/^65534\nwritten\n[^]*end\n$/);
  expect(output).not.toContain('KEY');
  expect(existsSync(join(outside, 'new'))).toBe(false);
  expect(readFileSync(join(outside, 'open'), 'utf8')).toBe('');
});
