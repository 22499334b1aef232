/**
 * `planfold/log`: what the package offers to code that reads session logs. `readLog` reads a file,
 * `readEvents` one that is too long for that, `readLine` a single line from anywhere; `evolve` and
 * the folds say what follows from the events. Nothing here writes.
 */
export type { Json, JsonObject } from '../base/json.ts';
export type {
  Header,
  ModelCall,
  ModelMessage,
  RequestBody,
  SystemSection,
  ToolSchema,
  Usage,
} from '../model/types.ts';
export type {
  AssistantMessage,
  EventType,
  Grant,
  LogEvent,
  PromptBlock,
  Question,
  Reply,
  ResultBlock,
  SessionCreated,
  StopReason,
  TodoEntry,
  UserQuestion,
} from './events.ts';
export { LOG_VERSION } from './events.ts';
export { evolve } from './evolve.ts';
export {
  foldGrants,
  foldHeader,
  foldKnobs,
  foldMode,
  foldPendingMode,
  foldState,
  foldTodos,
} from './folds.ts';
export type { LogPosition, ReadEvent } from './read.ts';
export { DamagedLogError, readEvents, readLine, readLog } from './read.ts';
export { foldRequest } from './request.ts';
export type { OpenTurn, SeenMessage, SessionState } from './state.ts';
export { DEFAULT_MODE, EMPTY_STATE } from './state.ts';
