import type { EventType } from '../../src/log/events.ts';

/** Where an event stands and what it says, for the README. */
export const EVENT_NOTES: Record<EventType, { where: string; says: string }> = {
  'session/created': { where: 'line 1', says: 'the session; `parent` is what it was forked from' },
  'session/title': { where: 'anywhere', says: 'what editors list it as' },
  'mode/intent': { where: 'between turns', says: 'a flip that the next turn applies' },
  'knob/set': { where: 'anywhere', says: 'an option; takes effect at the next boundary' },
  'turn/start': { where: 'opens a turn', says: 'a prompt has come' },
  'mode/set': { where: 'in a turn, at a boundary', says: 'the mode in force from here on' },
  'user/message': { where: 'in a turn', says: 'the prompt' },
  'context/message': { where: 'in a turn', says: 'a text that the harness adds for the model' },
  'request/header': {
    where: 'in a turn',
    says: 'what requests carry besides messages, whole, where it differs from the last',
  },
  'step/start': { where: 'in a turn', says: 'a request, with the digest of its exact bytes' },
  'assistant/message': {
    where: 'in a step',
    says: 'an answer of the model; `partial` where it was cut off',
  },
  'tool/call': { where: 'in a step', says: 'a call that may run, and is about to' },
  ask: { where: 'in a step', says: 'a question to a person' },
  answer: { where: 'in a step', says: 'what came back' },
  'tool/result': { where: 'in a step', says: 'one for each call, in the order of the model' },
  'file/seen': { where: 'in a step', says: 'the digest of a file as the model last saw it' },
  'todo/write': { where: 'in a step', says: 'the todo list, whole' },
  'step/end': { where: 'in a turn', says: 'every call of the step has its result' },
  retry: { where: 'in a step', says: 'a request is made again, and why' },
  compaction: {
    where: 'in a turn',
    says: 'a summary in the place of the messages up to `throughSeq`; `state` is all the rest',
  },
  'turn/end': { where: 'closes a turn', says: 'how it ended' },
};
