import type {
  AgentCapabilities,
  AuthMethod,
  ClientCapabilities,
  InitializeRequest,
  InitializeResponse,
} from '@agentclientprotocol/sdk/unstable';
import { isObject } from '../base/json.ts';
import { AGENT } from '../base/version.ts';

/** The version of ACP that is spoken here. */
export const ACP_VERSION = 1;

// What works, and nothing else.
const CAPABILITIES: AgentCapabilities = {
  loadSession: true,
  promptCapabilities: { image: true, embeddedContext: true },
  mcpCapabilities: { http: true, sse: true },
  auth: { logout: {} },
  sessionCapabilities: {
    list: {},
    resume: {},
    fork: {},
    close: {},
    delete: {},
    additionalDirectories: {},
  },
};

/** The way to log in that needs nothing but the environment. */
export const ENVIRONMENT_METHOD = 'environment';

/** The way to log in that a client runs in a terminal. */
export const LOGIN_METHOD = 'login';

const ENVIRONMENT: AuthMethod = {
  id: ENVIRONMENT_METHOD,
  name: 'API key in the environment',
  description: "Set OPENAI_API_KEY (or the variable of your provider) in the agent's environment.",
};

// Advertised to clients that can run the agent in a terminal, and to no others.
const LOGIN: AuthMethod = {
  type: 'terminal',
  id: LOGIN_METHOD,
  name: 'Log in',
  description: 'Enter an API key in a terminal; it is stored for you alone.',
  args: ['login'],
};

/** The answer to `initialize`. */
export function helloResult(client: ClientCapabilities): InitializeResponse {
  return {
    protocolVersion: ACP_VERSION,
    agentInfo: { ...AGENT, title: 'Planfold' },
    agentCapabilities: CAPABILITIES,
    authMethods: client.auth?.terminal === true ? [ENVIRONMENT, LOGIN] : [ENVIRONMENT],
  };
}

/** What is read of an `initialize`. */
export type Hello = Pick<InitializeRequest, 'protocolVersion'> & {
  clientCapabilities: ClientCapabilities;
};

/** The params of a plain `initialize`, undefined for others. */
export function readHello(params: unknown): Hello | undefined {
  if (!isObject(params)) return undefined;
  const { protocolVersion, clientCapabilities = {} } = params;
  if (typeof protocolVersion !== 'number' || !Number.isInteger(protocolVersion)) return undefined;
  if (!isObject(clientCapabilities) || !arePlain(clientCapabilities)) return undefined;
  return { protocolVersion, clientCapabilities };
}

// Yes or no, or more of them under a name: whatever else there may be is for the library to judge.
function arePlain(capabilities: object): boolean {
  return Object.entries(capabilities).every(
    ([name, value]) =>
      name === '_meta' ||
      typeof value === 'boolean' ||
      value === null ||
      (isObject(value) && arePlain(value)),
  );
}
