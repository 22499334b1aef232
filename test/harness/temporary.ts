import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Gives the whole run one directory for what is temporary, and removes it at the end. */
export default function setup(): () => void {
  const directory = realpathSync(mkdtempSync(join(tmpdir(), 'planfold-test-')));
  process.env['TMPDIR'] = directory;
  return () => rmSync(directory, { recursive: true, force: true });
}
