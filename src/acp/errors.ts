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

/** A handler whose errors reach the client as JSON-RPC errors with our own words. */
export function answering<Context, Response>(
  handle: (context: Context) => Response | Promise<Response>,
): (context: Context) => Promise<Response> {
  return async (context) => {
    try {
      return await handle(context);
    } catch (error) {
      throw toRequestError(error);
    }
  };
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
