/** A tool call as a model writes it: `arguments` is text, valid JSON or not. */
export interface ScriptedCall {
  id: string;
  name: string;
  arguments: string | object;
}

/** What one answer of a scripted model holds. */
export interface ScriptedAnswer {
  reasoning?: string;
  text?: string;
  calls?: ScriptedCall[];
  finish?: string;
}

const BASE = { id: 'chatcmpl-test', object: 'chat.completion.chunk', created: 1, model: 'test' };

/** One event of a streamed chat completion, in the provider's wire format. */
export function chunk(delta: object, finish: string | null = null): string {
  return event({ ...BASE, choices: [{ index: 0, delta, finish_reason: finish }] });
}

/** One server-sent event. */
export function event(data: object): string {
  return `data: ${JSON.stringify(data)}\n\n`;
}

/** The usage, in a chunk of its own without choices, as it comes with `include_usage`. */
export const USAGE = event({
  ...BASE,
  choices: [],
  usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 },
});

export const DONE = 'data: [DONE]\n\n';

/** A whole answer as the chunks of its stream. */
export function answer({ reasoning, text, calls = [], finish }: ScriptedAnswer): string[] {
  const fragments = calls.flatMap(({ id, name, arguments: given }, index) => {
    const args = typeof given === 'string' ? given : JSON.stringify(given);
    const head = { index, id, type: 'function', function: { name, arguments: '' } };
    return [head, { index, function: { arguments: args } }];
  });
  return [
    chunk({ role: 'assistant', content: '' }),
    ...(reasoning === undefined ? [] : [chunk({ reasoning_content: reasoning })]),
    ...(text === undefined ? [] : [chunk({ content: text })]),
    ...fragments.map((fragment) => chunk({ tool_calls: [fragment] })),
    chunk({}, finish ?? (calls.length > 0 ? 'tool_calls' : 'stop')),
    USAGE,
    DONE,
  ];
}

/** An answer that makes one call. */
export function call(name: string, args: string | object, id = `call_${name}`): string[] {
  return answer({ calls: [{ id, name, arguments: args }] });
}
