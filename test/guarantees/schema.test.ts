import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect, test } from 'vitest';
import { recordingDirectory } from '../harness/scenarios.ts';

interface Definition {
  'x-method'?: string;
}

// What the SDK publishes: the whole protocol, drafts included.
const schemaPath = createRequire(import.meta.url).resolve(
  '@agentclientprotocol/sdk/schema/v1/schema.unstable.json',
);
const schema: { $defs: Record<string, Definition> } = JSON.parse(readFileSync(schemaPath, 'utf8'));
const ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: true });
ajv.addSchema(schema, 'acp');

/** Validates a value as what `method` takes (`Request`, `Notification`) or gives (`Response`). */
function problemsOf(method: string, kind: string, value: unknown): string {
  const name = Object.keys(schema.$defs).find(
    (one) => schema.$defs[one]?.['x-method'] === method && one.endsWith(kind),
  );
  if (name === undefined) return `no ${kind} for ${method} in the schema`;
  const validate = ajv.getSchema(`acp#/$defs/${name}`);
  if (!validate) return `no schema ${name}`;
  return validate(value) ? '' : ajv.errorsText(validate.errors);
}

interface Frame {
  from: 'client' | 'agent';
  message: { id?: unknown; method?: string; params?: unknown; result?: unknown };
}

function checkFrames(frames: readonly Frame[]): string[] {
  const pending = new Map<unknown, string>();
  return frames.flatMap(({ from, message }) => {
    const { id, method, params, result } = message;
    if (from === 'client') {
      if (method !== undefined) pending.set(id, method);
      return [];
    }
    const problem =
      method === undefined
        ? result === undefined
          ? ''
          : problemsOf(pending.get(id) ?? '', 'Response', result)
        : problemsOf(method, id === undefined ? 'Notification' : 'Request', params);
    return problem === '' ? [] : [`${JSON.stringify(message).slice(0, 300)}: ${problem}`];
  });
}

function framesOf(name: string): Frame[] {
  const text = readFileSync(join(recordingDirectory(name), 'wire.jsonl'), 'utf8');
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
}

test.each(readdirSync(recordingDirectory('.')))(
  "every frame the agent sends in %s fits the protocol's schema",
  (name) => {
    expect(checkFrames(framesOf(name))).toEqual([]);
  },
);

test('a frame that does not fit is found', () => {
  const frames = framesOf('plan-mode').map((frame) =>
    JSON.parse(JSON.stringify(frame).replaceAll('"currentModeId"', '"modeId"')),
  );
  expect(checkFrames(frames).length).toBeGreaterThan(0);
});
