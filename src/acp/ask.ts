import type {
  ClientCapabilities,
  CreateElicitationRequest,
  CreateElicitationResponse,
  ElicitationSchema,
  PermissionOption,
  RequestPermissionRequest,
  ToolCallContent,
  ToolCallUpdate,
} from '@agentclientprotocol/sdk/unstable';
import { messageOf } from '../base/errors.ts';
import { isObject } from '../base/json.ts';
import type { Grant, Question, Reply } from '../log/events.ts';
import { describeGrant } from '../loop/permission.ts';
import type { ClientPort } from './client_port.ts';
import { readAnswers, toQuestionForm } from './question_form.ts';
import { readReview, REVIEW_SCHEMA, reviewMessage } from './review_form.ts';

/** The person behind one session, reached through the client. */
export interface Asker {
  client: ClientPort;
  capabilities: ClientCapabilities;
  sessionId: string;
  /** The card of a call as it was sent, for clients that show it in the question. */
  cardOf: (callId: string) => Partial<ToolCallUpdate>;
}

type Ask = (asker: Asker, signal: AbortSignal) => Promise<Reply>;

/**
 * Puts a question to the person: as an elicitation form where the client has one, a review else as
 * a permission request. Whatever goes wrong comes back as a reply; nothing is ever approved by it.
 */
export async function askThroughClient(
  asker: Asker,
  question: Question,
  signal: AbortSignal,
): Promise<Reply> {
  try {
    return await chooseForm(asker, question)(asker, signal);
  } catch (error) {
    if (signal.aborted) return { outcome: 'cancelled' };
    return { outcome: 'failed', reason: `the client answered with an error: ${messageOf(error)}.` };
  }
}

function chooseForm(asker: Asker, question: Question): Ask {
  const forms = asker.capabilities.elicitation?.form;
  switch (question.kind) {
    case 'review':
      return forms ? reviewByForm(question) : reviewByPermission(question);
    case 'question':
      return forms ? askByForm(question) : cannotAsk;
    case 'permission':
      return askPermission(question);
  }
}

async function cannotAsk(): Promise<Reply> {
  return { outcome: 'failed', reason: 'the client cannot show a form.' };
}

function reviewByForm({ callId, title }: Extract<Question, { kind: 'review' }>): Ask {
  return async (asker, signal) => {
    const request = form(asker, { callId, message: reviewMessage(title), schema: REVIEW_SCHEMA });
    return readReview(await elicit(asker, request, signal));
  };
}

function reviewByPermission({ callId }: Extract<Question, { kind: 'review' }>): Ask {
  return async (asker, signal) => {
    const { chosen, reason } = await requestPermission(asker, signal, {
      toolCall: { ...asker.cardOf(callId), toolCallId: callId },
      options: [
        { optionId: 'approve', kind: 'allow_once', name: 'Approve the plan' },
        { optionId: 'keep_planning', kind: 'reject_once', name: 'Keep planning' },
      ],
    });
    if (chosen === 'cancelled') return { outcome: chosen };
    if (chosen === 'approve') return { outcome: chosen };
    if (chosen === 'keep_planning') return { outcome: chosen, feedback: reason };
    return unknownOption(chosen);
  };
}

function askByForm({ callId, questions }: Extract<Question, { kind: 'question' }>): Ask {
  return async (asker, signal) => {
    const { message, schema } = toQuestionForm(questions);
    const response = await elicit(asker, form(asker, { callId, message, schema }), signal);
    return readAnswers(response, questions);
  };
}

type PermissionQuestion = Extract<Question, { kind: 'permission' }>;

function askPermission(question: PermissionQuestion): Ask {
  const { callId, grant } = question;
  return async (asker, signal) => {
    const card = asker.cardOf(callId);
    const { chosen, reason } = await requestPermission(asker, signal, {
      toolCall: { ...card, ...withWarnings(card, question), toolCallId: callId },
      options: [
        { optionId: 'allow_once', kind: 'allow_once', name: 'Allow once' },
        ...(grant ? [toSessionOption(grant)] : []),
        { optionId: 'reject_once', kind: 'reject_once', name: 'Reject' },
      ],
    });
    switch (chosen) {
      case 'cancelled':
      case 'allow_once':
        return { outcome: chosen };
      case 'allow_always':
        return grant ? { outcome: chosen } : unknownOption(chosen);
      case 'reject_once':
        return { outcome: chosen, ...(reason === undefined ? {} : { feedback: reason }) };
      default:
        return unknownOption(chosen);
    }
  };
}

function toSessionOption(grant: Grant): PermissionOption {
  const name = `Allow for this session: ${describeGrant(grant)}`;
  return { optionId: 'allow_always', kind: 'allow_always', name };
}

// A person who allows a call must see what it leaves.
function withWarnings(
  card: Partial<ToolCallUpdate>,
  { outside, escalated }: PermissionQuestion,
): Partial<ToolCallUpdate> {
  const warnings = [
    ...(escalated ? ['Outside the sandbox: this command is not confined.'] : []),
    ...(outside.length > 0 ? [`Outside the workspace: ${outside.join(', ')}`] : []),
  ];
  if (warnings.length === 0) return {};
  const toContent = (text: string): ToolCallContent => ({
    type: 'content',
    content: { type: 'text', text },
  });
  return { content: [...warnings.map(toContent), ...(card.content ?? [])] };
}

function unknownOption(optionId: unknown): Reply {
  const given = JSON.stringify(optionId) ?? 'nothing';
  return { outcome: 'failed', reason: `the client chose ${given}, which was not offered.` };
}

// Answers are not validated by the SDK, so whatever stands there is read with care. ACP has no
// field for the reason of a rejection; clients that ask for one send it along in `_meta`.
async function requestPermission(
  { client, sessionId }: Asker,
  signal: AbortSignal,
  request: Omit<RequestPermissionRequest, 'sessionId'>,
): Promise<{ chosen: unknown; reason?: string | undefined }> {
  const response: unknown = await client.request(
    'session/request_permission',
    { sessionId, ...request },
    { cancellationSignal: signal, stopWaitingOnCancel: true },
  );
  const outcome = isObject(response) && isObject(response['outcome']) ? response['outcome'] : {};
  if (outcome['outcome'] === 'cancelled') return { chosen: 'cancelled' };
  if (outcome['outcome'] !== 'selected') return { chosen: undefined };
  const meta = outcome['_meta'] ?? (isObject(response) ? response['_meta'] : undefined);
  const given = isObject(meta) ? (meta['reason'] ?? meta['feedback']) : undefined;
  const reason = typeof given === 'string' && given.trim() !== '' ? given : undefined;
  return { chosen: outcome['optionId'], reason };
}

function form(
  { sessionId }: Asker,
  parts: { callId: string; message: string; schema: ElicitationSchema },
): CreateElicitationRequest {
  return {
    mode: 'form',
    sessionId,
    toolCallId: parts.callId,
    message: parts.message,
    requestedSchema: parts.schema,
  };
}

function elicit(
  { client }: Asker,
  request: CreateElicitationRequest,
  signal: AbortSignal,
): Promise<CreateElicitationResponse> {
  return client.request('elicitation/create', request, {
    cancellationSignal: signal,
    stopWaitingOnCancel: true,
  });
}
