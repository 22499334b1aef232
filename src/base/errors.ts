/**
 * An error whose message is written for the person at the editor or terminal: it names the thing,
 * the value it got and the way out. It is shown as it is, never with a stack.
 */
export class UserError extends Error {
  override readonly name: string = 'UserError';
}

/** No usable credentials: the editor is answered `auth_required` with this message. */
export class AuthError extends UserError {
  override readonly name = 'AuthError';
}

/**
 * The caller sent something that does not fit; the editor is answered `invalid params` (-32602).
 */
export class InputError extends UserError {
  override readonly name = 'InputError';
}

/** What failed may go well another time; `afterMs` is how long the provider asks to wait. */
export class TransientError extends UserError {
  override readonly name = 'TransientError';
  readonly afterMs: number | undefined;

  constructor(message: string, afterMs?: number) {
    super(message);
    this.afterMs = afterMs;
  }
}

/** The conversation does not fit into the model's context window. */
export class OverflowError extends UserError {
  override readonly name = 'OverflowError';
}

/** What was asked for cannot be done now; the editor is answered `invalid request` (-32600). */
export class BusyError extends UserError {
  override readonly name = 'BusyError';
}

/** No session of that id is open here; the editor is answered `resource not found` (-32002). */
export class UnknownSessionError extends UserError {
  override readonly name = 'UnknownSessionError';
}

/** The message of anything that was thrown, for logs and for a person. */
export function messageOf(thrown: unknown): string {
  const message = fieldOf(thrown, 'message');
  return typeof message === 'string' ? message : String(thrown);
}

/** The `code` of a Node system error (`ENOENT`, `EACCES`, …), else undefined. */
export function codeOf(thrown: unknown): string | undefined {
  const code = fieldOf(thrown, 'code');
  return typeof code === 'string' ? code : undefined;
}

// An error of another realm (a script that was stopped) is an instance of no class of this one.
function fieldOf(thrown: unknown, field: 'message' | 'code'): unknown {
  if (typeof thrown !== 'object' || thrown === null || !(field in thrown)) return undefined;
  return (thrown as Record<string, unknown>)[field];
}
