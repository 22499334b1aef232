import type { AssistantMessage, Fact, LogEvent, ResultBlock } from '../../../src/log/events.ts';
import type { Header, ModelCall, Usage } from '../../../src/model/types.ts';
import { exitPlanModeTool } from '../../../src/modes/exit_plan_mode.ts';
import { baseTools } from '../../../src/session/open.ts';
import { CREATED } from '../../log/facts.ts';

/** The tools that calls are shown by. */
export const TOOLS = [...baseTools({ shell: '/bin/sh' }), exitPlanModeTool];

const START = Date.parse('2026-03-14T09:26:00.000Z');

/** Facts as the events of a log, two seconds apart, in `/home/ada/greeter`. */
export function sessionOf(...facts: Fact[]): LogEvent[] {
  return [{ ...CREATED, cwd: '/home/ada/greeter' }, ...facts].map((fact, index) => ({
    seq: index + 1,
    time: new Date(START + index * 2000).toISOString(),
    ...fact,
  }));
}

/** A header of plan mode or of none, with all tools that are offered there. */
export function headerOf(mode: 'plan' | 'default', model = 'gpt-5'): Header {
  const tools = mode === 'plan' ? TOOLS : TOOLS.filter((tool) => tool !== exitPlanModeTool);
  const section = mode === 'plan' ? [{ name: 'mode', text: 'You are in plan mode.' }] : [];
  return {
    model,
    settings: { reasoning_effort: 'low' },
    system: [{ name: 'persona', text: 'You are a coding agent.' }, ...section],
    tools: tools.map((tool) => tool.schema()),
  };
}

/** A call as the model makes it. */
export function callOf(callId: string, name: string, input: object): ModelCall {
  return { callId, name, arguments: JSON.stringify(input) };
}

/** What a person says. */
export function said(text: string): Fact {
  return { type: 'user/message', messageId: 'msg_u', content: [{ type: 'text', text }] };
}

/** An answer of the model. */
export function spoke(answer: Partial<AssistantMessage>, [inp, cached, out] = [0, 0, 0]): Fact {
  const usage: Usage = { inputTokens: inp, cachedTokens: cached, outputTokens: out };
  const calls = answer.calls ?? [];
  const finish = calls.length > 0 ? 'tool_calls' : 'stop';
  return { type: 'assistant/message', messageId: 'm', text: '', calls, finish, usage, ...answer };
}

/** A call that was permitted and ran. */
export function ran(
  { callId, name }: ModelCall,
  content: ResultBlock[] | string,
  isError = false,
): Fact[] {
  const blocks = typeof content === 'string' ? [{ type: 'text', text: content } as const] : content;
  return [
    { type: 'tool/call', callId, name, input: {} },
    { type: 'tool/result', callId, content: blocks, isError },
  ];
}
