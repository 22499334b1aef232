import { readFileSync } from 'node:fs';
import { Ajv } from 'ajv';
import { expect, test } from 'vitest';
import manifest from '../../package.json' with { type: 'json' };
import { startStdio } from '../harness/stdio.ts';

// The folder is what is handed in, and its name must be the agent's id.
const ENTRY = new URL('../../.ci/registry/planfold/', import.meta.url).pathname;

const entry = JSON.parse(readFileSync(`${ENTRY}agent.json`, 'utf8'));

// As far as the registry's rules (github.com/agentclientprotocol/registry) bear on an npm package.
const text = { type: 'string', minLength: 1 };
const RULES = {
  type: 'object',
  required: ['id', 'name', 'version', 'description', 'distribution'],
  additionalProperties: false,
  properties: {
    id: { const: 'planfold' },
    name: text,
    version: { type: 'string', pattern: '^[0-9]+\\.[0-9]+\\.[0-9]+$' },
    description: text,
    repository: { type: 'string', pattern: '^https://' },
    website: { type: 'string', pattern: '^https://' },
    authors: { type: 'array', items: text },
    license: text,
    distribution: {
      type: 'object',
      required: ['npx'],
      additionalProperties: false,
      properties: {
        npx: {
          type: 'object',
          required: ['package'],
          additionalProperties: false,
          properties: {
            package: text,
            args: { type: 'array', items: { type: 'string' } },
            env: { type: 'object', additionalProperties: { type: 'string' } },
          },
        },
      },
    },
  },
};

test('the entry for the ACP registry keeps its rules', () => {
  const ajv = new Ajv({ allErrors: true });
  expect([ajv.validate(RULES, entry), ajv.errors]).toEqual([true, null]);
});

test('it is about this version', () => {
  const { name, version, description, license } = manifest;
  expect(entry).toMatchObject({ id: name, version, description, license });
  expect(entry.distribution.npx).toEqual({ package: `${name}@${version}`, args: ['acp'] });
});

test('the icon is a square of 16 in the colour of the editor, without comments', () => {
  const icon = readFileSync(`${ENTRY}icon.svg`, 'utf8');
  expect(icon).toMatch(/^<svg [^>]*width="16" height="16" viewBox="0 0 16 16"/);
  expect(icon).not.toContain('<!--');
  const colours = [...icon.matchAll(/\b(?:fill|stroke)="([^"]*)"/g)].map(([, colour]) => colour);
  expect(colours).toContain('currentColor');
  expect(colours.filter((colour) => colour !== 'currentColor' && colour !== 'none')).toEqual([]);
});

test('the agent offers a way to log in that the registry accepts', async () => {
  const agent = startStdio();
  const { result } = await agent.initialize({ auth: { terminal: true } });
  const methods = result?.['authMethods'] as { type?: string }[];
  expect(methods.map(({ type }) => type)).toContain('terminal');
  agent.child.stdin?.end();
  await agent.exited;
});
