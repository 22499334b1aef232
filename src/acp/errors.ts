import { RequestError } from '@agentclientprotocol/sdk/unstable';
import {
  AuthError,
  BusyError,
  InputError,
  messageOf,
  UnknownSessionError,
} from '../base/errors.ts';

const AUTH_REQUIRED = -32000;
const NOT_FOUND = -32002;
const INVALID_REQUEST = -32600;
const INVALID_PARAMS = -32602;
const INTERNAL = -32603;

/** Answers a request; what it throws reaches the client as a JSON-RPC error in our own words. */
export async function answer<Response>(
  handle: () => Response | Promise<Response>,
): Promise<Response> {
  try {
    return await handle();
  } catch (error) {
    throw toRequestError(error);
  }
}

/** What went wrong as JSON-RPC knows it; the message is the one a person reads. */
export function toRequestError(error: unknown): RequestError {
  if (error instanceof RequestError) return error;
  return new RequestError(codeFor(error), messageOf(error));
}

function codeFor(error: unknown): number {
  if (error instanceof AuthError) return AUTH_REQUIRED;
  if (error instanceof InputError) return INVALID_PARAMS;
  if (error instanceof BusyError) return INVALID_REQUEST;
  if (error instanceof UnknownSessionError) return NOT_FOUND;
  return INTERNAL;
}
