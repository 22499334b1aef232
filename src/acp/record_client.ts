import type {
  CreateElicitationResponse,
  RequestPermissionResponse,
} from '@agentclientprotocol/sdk/unstable';
import { methods } from '@agentclientprotocol/sdk/unstable';
import type { ClientPort } from './client_port.ts';
import type { PermissionAnswer } from './scenario.ts';
import { isObject } from '../base/json.ts';
import type { Answer, ScenarioDraft } from './scenario_draft.ts';

/** The client, with its answers and the beginning and end of each tool call written down. */
export function watchClient(client: ClientPort, draft: ScenarioDraft): ClientPort {
  const running = new Map<unknown, () => void>();
  const request = async (method: string, ...rest: unknown[]) => {
    const kind = KINDS.get(method);
    const answered = kind === undefined ? undefined : draft.asked(kind);
    const send = client.request.bind(client) as (...args: unknown[]) => Promise<unknown>;
    let answer: Answer | undefined;
    try {
      const response = await send(method, ...rest);
      if (kind !== undefined) answer = toAnswer(kind, response);
      return response;
    } finally {
      answered?.(answer);
    }
  };
  const notify = (method: string, params: unknown) => {
    const update = isObject(params) ? params['update'] : undefined;
    if (isObject(update)) follow(update, running, draft);
    return (client.notify.bind(client) as (...args: unknown[]) => Promise<void>)(method, params);
  };
  return { request, notify } as unknown as ClientPort;
}

const KINDS = new Map<string, 'elicitation' | 'permission'>([
  [methods.client.elicitation.create, 'elicitation'],
  [methods.client.session.requestPermission, 'permission'],
]);

function toAnswer(kind: 'elicitation' | 'permission', response: unknown): Answer {
  if (kind === 'permission') return { permission: toPermission(response) };
  return { elicitation: response as CreateElicitationResponse };
}

function toPermission(response: unknown): PermissionAnswer {
  const { outcome, ...rest } = response as RequestPermissionResponse;
  if (outcome.outcome !== 'selected') return 'cancelled';
  const { optionId } = outcome;
  const { reason } = { ...rest['_meta'], ...outcome['_meta'] };
  return typeof reason === 'string' ? { optionId, reason } : optionId;
}

function follow(
  { status, toolCallId }: Record<string, unknown>,
  running: Map<unknown, () => void>,
  draft: ScenarioDraft,
): void {
  if (status === 'in_progress') running.set(toolCallId, draft.called(String(toolCallId)));
  if (status === 'completed' || status === 'failed') running.get(toolCallId)?.();
}
