import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const PACKAGE = /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/;
const LICENCE = /^(licen[cs]e|copying|notice)([.-].*)?$/i;
const RULE = '-'.repeat(80);

/**
 * Writes what is bundled, by the metafiles of esbuild, and under which licences: one entry for each
 * text, headed by the packages that it belongs to. Throws for a package without any information.
 */
export function writeLicences(path, metafiles) {
  const bundled = new Set();
  for (const { outputs } of metafiles) {
    for (const { inputs } of Object.values(outputs)) {
      for (const [input, { bytesInOutput }] of Object.entries(inputs)) {
        const [directory] = PACKAGE.exec(input) ?? [];
        if (directory !== undefined && bytesInOutput > 0) bundled.add(directory);
      }
    }
  }
  const owners = new Map();
  for (const directory of [...bundled].sort()) {
    const { name, text } = licenceOf(directory);
    owners.set(text, [...(owners.get(text) ?? []), name]);
  }
  const entries = [...owners].map(([text, names]) => `${names.join('\n')}\n\n${text}\n`);
  const head = 'planfold bundles these packages, each under the licence that follows its name.\n';
  writeFileSync(path, [head, ...entries].join(`\n${RULE}\n\n`));
}

function licenceOf(directory) {
  const { name, version, license } = JSON.parse(
    readFileSync(join(directory, 'package.json'), 'utf8'),
  );
  const texts = readdirSync(directory)
    .filter((file) => LICENCE.test(file))
    .sort()
    .map((file) => readFileSync(join(directory, file), 'utf8').replaceAll('\r\n', '\n').trim());
  if (texts.length === 0 && !license) {
    throw new Error(`${name}@${version} is bundled, and nothing says under which licence.`);
  }
  const text = texts.length > 0 ? texts.join('\n\n') : `${license} (the package has no text of it)`;
  return { name: `${name}@${version}${license ? ` (${license})` : ''}`, text };
}
