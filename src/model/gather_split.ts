import { isObject } from '../base/json.ts';

/**
 * The chunks of a streamed chat completion, with every text that `sought` (global) finds whole in
 * one delta: models stream a path or a word in pieces. Chunks that hold no such text apart are
 * given back as they are.
 */
export function gatherSplit(chunks: readonly string[], sought: RegExp): readonly string[] {
  const events = chunks
    .join('')
    .split(/(?<=\n\n)/)
    .map(parseEvent);
  let changed = false;
  for (const pieces of fieldsOf(events.map(({ value }) => value)).values()) {
    const whole = pieces.map(({ text }) => text).join('');
    let end = 0;
    const ends = pieces.map(({ text }) => (end += text.length));
    const moved = moveOut(ends, [...whole.matchAll(sought)]);
    changed ||= moved.some((at, index) => at !== ends[index]);
    for (const [index, { put }] of pieces.entries()) {
      put(whole.slice(moved[index - 1] ?? 0, moved[index]));
    }
  }
  if (!changed) return chunks;
  return events.map(({ text, value }) =>
    value === undefined ? text : `data: ${JSON.stringify(value)}\n\n`,
  );
}

// An end that lies inside of what was found moves behind it.
function moveOut(ends: readonly number[], found: readonly RegExpExecArray[]): number[] {
  return ends.map((end) => {
    const around = found.find(({ index, 0: text }) => index < end && end < index + text.length);
    return around ? around.index + around[0].length : end;
  });
}

function parseEvent(text: string): { text: string; value: unknown } {
  const [, json] = /^data: (\{.*\})\n\n$/.exec(text) ?? [];
  try {
    return { text, value: json === undefined ? undefined : JSON.parse(json) };
  } catch {
    return { text, value: undefined };
  }
}

interface Piece {
  text: string;
  put: (text: string) => void;
}

// The pieces of each text of each choice, in the order in which they came.
function fieldsOf(chunks: readonly unknown[]): Map<string, Piece[]> {
  const fields = new Map<string, Piece[]>();
  const add = (holder: unknown, name: string, at: string) => {
    if (!isObject(holder) || typeof holder[name] !== 'string') return;
    const key = `${at}.${name}`;
    const put = (text: string) => {
      holder[name] = text;
    };
    fields.set(key, [...(fields.get(key) ?? []), { text: holder[name], put }]);
  };
  for (const choice of chunks.flatMap((chunk) => listIn(chunk, 'choices'))) {
    const delta = choice['delta'];
    const at = String(choice['index']);
    for (const name of ['content', 'reasoning_content', 'reasoning']) add(delta, name, at);
    for (const call of listIn(delta, 'tool_calls')) {
      add(call['function'], 'arguments', `${at}.${String(call['index'])}`);
    }
  }
  return fields;
}

function listIn(value: unknown, name: string): Record<string, unknown>[] {
  const list = isObject(value) ? value[name] : undefined;
  return Array.isArray(list) ? list.filter(isObject) : [];
}
