import * as z from 'zod';
import { messageOf, UserError } from '../base/errors.ts';

const requestSchema = z.strictObject({
  method: z.string(),
  path: z.string(),
  body: z.json(),
});

const responseSchema = z.strictObject({
  status: z.int(),
  headers: z.record(z.string(), z.string()),
  /** The body as it came, piece by piece. */
  chunks: z.array(z.string()),
  /** How it ended: closed (default), with the connection reset, or not at all until aborted. */
  end: z.enum(['close', 'reset', 'hang']).optional(),
});

// A recording written by hand has no requests until they are filled in.
const exchangeSchema = z.strictObject({
  request: requestSchema.optional(),
  response: responseSchema,
});

const headSchema = z.strictObject({
  /** `authored`: written by hand in the provider's wire format. `recorded`: it really came so. */
  origin: z.enum(['authored', 'recorded']),
  note: z.string().optional(),
});

/** A request to a model endpoint, without what authenticates it. */
export type RecordedRequest = z.output<typeof requestSchema>;

/** One request and what came back. */
export type Exchange = z.output<typeof exchangeSchema>;

/** The model traffic of one session: `model.jsonl`, a head line and then one exchange a line. */
export interface Recording extends z.output<typeof headSchema> {
  exchanges: Exchange[];
}

/** Reads the text of `file`. Throws `UserError` naming file, line and reason. */
export function readRecording(text: string, file: string): Recording {
  const [head = '', ...lines] = text.replace(/\n$/, '').split('\n');
  return {
    ...readLine(head, headSchema, `${file}, line 1`),
    exchanges: lines.map((line, index) =>
      readLine(line, exchangeSchema, `${file}, line ${index + 2}`),
    ),
  };
}

function readLine<S extends z.ZodType>(text: string, schema: S, at: string): z.output<S> {
  if (text.trim() === '') throw new UserError(`${at}: the line is empty.`);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new UserError(`${at}: not JSON: ${messageOf(error)}.`);
  }
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues.map(({ path, message }) =>
    path.length === 0 ? message : `\`${path.join('.')}\`: ${message}`,
  );
  throw new UserError(`${at}: ${problems.join('; ')}.`);
}

/** The text of a recording, as `readRecording` reads it. */
export function writeRecording({ exchanges, ...head }: Recording): string {
  return [head, ...exchanges].map((line) => `${JSON.stringify(line)}\n`).join('');
}
