import {
  chmodSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { openDiskFiles } from '../../src/tools/disk.ts';
import { createMay } from '../../src/tools/territory.ts';
import { whileFlipping } from '../harness/flip.ts';
import { createTestContext } from '../harness/toolContext.ts';

const RACE_MS = 1500;
const FILE = { text: 'new', encoding: 'utf-8', bom: false, eol: '\n' } as const;

/** A root and what lies outside of it, each with a directory `d` that holds a file. */
function makePlaces() {
  const { cwd: root } = createTestContext();
  const { cwd: outside } = createTestContext();
  for (const [place, text] of [
    [root, 'inside'],
    [outside, 'OUTSIDE'],
  ] as const) {
    mkdirSync(join(place, 'd'));
    writeFileSync(join(place, 'd/file'), text);
  }
  const may = createMay({ roots: [root], readable: [], secrets: [] }, []);
  return { root, outside, files: openDiskFiles(may, new AbortController().signal) };
}

/** Repeats `attempt` for a while, and counts how often it got through. */
async function repeat(attempt: () => Promise<void>): Promise<number> {
  let through = 0;
  for (const end = Date.now() + RACE_MS; Date.now() < end;) {
    await attempt().then(
      () => through++,
      () => {},
    );
  }
  return through;
}

// The directory gives way to a link that leads outside, and comes back.
const SWAP_DIRECTORY = `
  rename('d', 'kept'); rename('link', 'd'); rename('d', 'link'); rename('kept', 'd');
`;
// The file is a link for half of the time.
const SWAP_FILE = `
  rename('d/file', 'kept'); rename('link', 'd/file'); rename('d/file', 'link');
  rename('kept', 'd/file');
`;

const SWAPS: readonly [string, string, string][] = [
  ['a directory', 'd', SWAP_DIRECTORY],
  ['a file', 'd/file', SWAP_FILE],
];

test.each(SWAPS)('%s swapped for a link: nothing outside is read', async (_, target, script) => {
  const { root, outside, files } = makePlaces();
  symlinkSync(join(outside, target), join(root, 'link'));
  await whileFlipping({ cwd: root, script }, async () => {
    const seen = new Set<string>();
    const through = await repeat(async () => {
      seen.add(String(await files.readBytes(join(root, 'd/file'))));
    });
    expect([...seen]).toEqual(['inside']);
    expect(through).toBeGreaterThan(0);
  });
});

test.each(SWAPS)('%s swapped for a link: nothing outside changes', async (_, target, script) => {
  const { root, outside, files } = makePlaces();
  symlinkSync(join(outside, target), join(root, 'link'));
  await whileFlipping({ cwd: root, script }, async () => {
    await repeat(() => files.writeText(join(root, 'd/file'), FILE));
    await repeat(() => files.writeText(join(root, 'd/a/b'), FILE));
  });
  expect(readdirSync(outside)).toEqual(['d']);
  expect(readdirSync(join(outside, 'd'))).toEqual(['file']);
  expect(readFileSync(join(outside, 'd/file'), 'utf8')).toBe('OUTSIDE');
});

test('the new file swapped for a link: the mode of what it leads to stays', async () => {
  const { root, outside, files } = makePlaces();
  const target = join(outside, 'd/file');
  chmodSync(target, 0o600);
  chmodSync(join(root, 'd/file'), 0o777);
  const script = `
    for (const name of attempt('readdirSync', 'd') ?? []) {
      if (!name.endsWith('.tmp')) continue;
      attempt('unlinkSync', 'd/' + name);
      attempt('symlinkSync', ${JSON.stringify(target)}, 'd/' + name);
    }
  `;
  await whileFlipping({ cwd: root, script }, async () => {
    await repeat(async () => {
      execFileSync('rm', ['-rf', join(root, 'd/file')]);
      writeFileSync(join(root, 'd/file'), 'inside', { mode: 0o777 });
      chmodSync(join(root, 'd/file'), 0o777);
      await files.writeText(join(root, 'd/file'), FILE);
    });
  });
  expect(statSync(target).mode & 0o777).toBe(0o600);
  expect(readFileSync(target, 'utf8')).toBe('OUTSIDE');
});

test('a file swapped for a pipe is never waited for', async () => {
  const { root, files } = makePlaces();
  execFileSync('mkfifo', [join(root, 'link')]);
  await whileFlipping({ cwd: root, script: SWAP_FILE }, async () => {
    await repeat(async () => void (await files.readBytes(join(root, 'd/file'))));
    await repeat(() => files.writeText(join(root, 'd/file'), FILE));
  });
});

test('of a file with two names, the name outside keeps its text', async () => {
  const { root, outside, files } = makePlaces();
  linkSync(join(outside, 'd/file'), join(root, 'name'));
  await files.writeText(join(root, 'name'), FILE);
  expect(readFileSync(join(root, 'name'), 'utf8')).toBe('new');
  expect(readFileSync(join(outside, 'd/file'), 'utf8')).toBe('OUTSIDE');
});

test('through a link to outside nothing is read, written or made', async () => {
  const { root, outside, files } = makePlaces();
  symlinkSync(outside, join(root, 'out'));
  symlinkSync(join(outside, 'd/file'), join(root, 'name'));
  symlinkSync(join(outside, 'none'), join(root, 'dangling'));
  for (const path of ['out/d/file', 'name', '../' + outside.split('/').at(-1) + '/d/file']) {
    await expect(files.readBytes(join(root, path)), path).rejects.toThrow('was not allowed');
    await expect(files.writeText(join(root, path), FILE)).rejects.toThrow('was not allowed');
  }
  for (const path of ['out/new', 'out/a/b', 'dangling']) {
    await expect(files.writeText(join(root, path), FILE), path).rejects.toThrow();
  }
  expect(readdirSync(outside)).toEqual(['d']);
  expect(existsSync(join(outside, 'none'))).toBe(false);
  expect(readFileSync(join(outside, 'd/file'), 'utf8')).toBe('OUTSIDE');
});

test('links to devices and pipes are refused', async () => {
  const { root, files } = makePlaces();
  execFileSync('mkfifo', [join(root, 'pipe')]);
  for (const [name, target] of Object.entries({ zero: '/dev/zero', tty: '/dev/tty', p: 'pipe' })) {
    symlinkSync(target, join(root, name));
    await expect(files.readBytes(join(root, name)), name).rejects.toThrow('no regular file');
    await expect(files.writeText(join(root, name), FILE), name).rejects.toThrow();
  }
});
