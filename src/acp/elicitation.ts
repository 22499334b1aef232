import * as z from 'zod';
import { once } from '../base/once.ts';
import type { Reply } from '../log/events.ts';

const envelope = once(() =>
  z.object({
    action: z.enum(['accept', 'decline', 'cancel']),
    content: z.record(z.string(), z.unknown()).nullish(),
  }),
);

/**
 * An elicitation's answer: the content that was accepted, checked by `content`, or a reply that
 * says why there is none. Fields that a client left empty (null or blank) count as absent.
 */
export function readElicitation<S extends z.ZodType>(
  response: unknown,
  content: S,
): { content: z.output<S> } | Reply {
  const read = envelope().safeParse(response);
  if (!read.success) return misfit(read.error);
  const { action } = read.data;
  if (action !== 'accept') return { outcome: action };
  const given = Object.entries(read.data.content ?? {});
  const filled = given.filter(([, value]) => value !== null && value !== '');
  const parsed = content.safeParse(Object.fromEntries(filled));
  return parsed.success ? { content: parsed.data } : misfit(parsed.error);
}

function misfit(error: z.ZodError): Reply {
  const issues = error.issues.map(
    ({ path, message }) => `${path.join('.') || 'answer'}: ${message}`,
  );
  return {
    outcome: 'failed',
    reason: `the client's answer does not fit the form (${issues.join('; ')}).`,
  };
}
