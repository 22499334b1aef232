import { readFileSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { eventTypes } from '../../src/log/schema.ts';
import { EVENT_NOTES } from './event_notes.ts';
import { TABLES } from './tables.ts';

/** Whether the tables are written anew instead of compared. */
const UPDATING = process.env['PLANFOLD_UPDATE'] === '1';

const README = new URL('../../README.md', import.meta.url).pathname;
const REGION = /(<!-- generated:([\w-]+) -->\n)[^]*?<!-- \/generated -->/g;

test('the tables of the README are those of the code', () => {
  const text = readFileSync(README, 'utf8');
  const names: string[] = [];
  const current = text.replaceAll(REGION, (_, open: string, name: string) => {
    names.push(name);
    return `${open}\n${TABLES[name]?.() ?? ''}\n\n<!-- /generated -->`;
  });
  expect(names.toSorted()).toEqual(Object.keys(TABLES).toSorted());
  if (UPDATING) writeFileSync(README, current);
  else expect(text === current, 'README.md is not up to date; npm run docs writes it').toBe(true);
});

test('every event that can be read has a row', () => {
  expect(Object.keys(EVENT_NOTES).toSorted()).toEqual([...eventTypes()].toSorted());
});
