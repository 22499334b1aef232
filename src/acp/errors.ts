import {
  AuthError,
  BusyError,
  InputError,
  messageOf,
  UnknownSessionError,
} from '../base/errors.ts';

const AUTH_REQUIRED = -32000;
const NOT_FOUND = -32002;
const PARSE_ERROR = -32700;
const INVALID_REQUEST = -32600;
const INVALID_PARAMS = -32602;
const INTERNAL = -32603;

/** An error as JSON-RPC has it; the message is the one a person reads. */
export interface ErrorObject {
  code: number;
  message: string;
}

/** What went wrong, in our own words. */
export function toErrorObject(error: unknown): ErrorObject {
  return { code: codeFor(error), message: messageOf(error) };
}

/** A frame that is no JSON. */
export function parseError(why: string): ErrorObject {
  return { code: PARSE_ERROR, message: `Parse error: ${why}` };
}

/** A frame that is no request. */
export function invalidRequest(why: string): ErrorObject {
  return { code: INVALID_REQUEST, message: `Invalid request: ${why}` };
}

function codeFor(error: unknown): number {
  if (error instanceof AuthError) return AUTH_REQUIRED;
  if (error instanceof InputError) return INVALID_PARAMS;
  if (error instanceof BusyError) return INVALID_REQUEST;
  if (error instanceof UnknownSessionError) return NOT_FOUND;
  return INTERNAL;
}
