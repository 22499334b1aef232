import type {
  AgentContext,
  ClientCapabilities,
  CreateElicitationRequest,
  CreateElicitationResponse,
  ElicitationSchema,
  RequestPermissionRequest,
  ToolCallContent,
  ToolCallUpdate,
} from '@agentclientprotocol/sdk/unstable';
import { methods } from '@agentclientprotocol/sdk/unstable';
import { messageOf } from '../base/errors.ts';
import type { Question, Reply } from '../log/events.ts';
import { readAnswers, toQuestionForm } from './question_form.ts';
import { readReview, REVIEW_SCHEMA, reviewMessage } from './review_form.ts';

/** The person behind one session, reached through the client. */
export interface Asker {
  client: AgentContext;
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
    const outcome = await requestPermission(asker, signal, {
      toolCall: { ...asker.cardOf(callId), toolCallId: callId },
      options: [
        { optionId: 'approve', kind: 'allow_once', name: 'Approve the plan' },
        { optionId: 'keep_planning', kind: 'reject_once', name: 'Keep planning' },
      ],
    });
    if (outcome === 'cancelled') return { outcome };
    if (outcome === 'approve' || outcome === 'keep_planning') return { outcome };
    return unknownOption(outcome);
  };
}

function askByForm({ callId, questions }: Extract<Question, { kind: 'question' }>): Ask {
  return async (asker, signal) => {
    const { message, schema } = toQuestionForm(questions);
    const response = await elicit(asker, form(asker, { callId, message, schema }), signal);
    return readAnswers(response, questions);
  };
}

function askPermission({ callId, outside }: Extract<Question, { kind: 'permission' }>): Ask {
  return async (asker, signal) => {
    const card = asker.cardOf(callId);
    const outcome = await requestPermission(asker, signal, {
      toolCall: { ...card, ...withWarning(card, outside), toolCallId: callId },
      options: [
        { optionId: 'allow_once', kind: 'allow_once', name: 'Allow once' },
        { optionId: 'reject_once', kind: 'reject_once', name: 'Reject' },
      ],
    });
    if (outcome === 'cancelled') return { outcome };
    if (outcome === 'allow_once' || outcome === 'reject_once') return { outcome };
    return unknownOption(outcome);
  };
}

// A person who allows a call must see that it leaves the workspace.
function withWarning(card: Partial<ToolCallUpdate>, outside: readonly string[]) {
  if (outside.length === 0) return {};
  const text = `Outside the workspace: ${outside.join(', ')}`;
  const warning: ToolCallContent = { type: 'content', content: { type: 'text', text } };
  return { content: [warning, ...(card.content ?? [])] };
}

function unknownOption(optionId: unknown): Reply {
  const given = JSON.stringify(optionId) ?? 'nothing';
  return { outcome: 'failed', reason: `the client chose ${given}, which was not offered.` };
}

// Answers are not validated by the SDK, so whatever stands there is read with care.
async function requestPermission(
  { client, sessionId }: Asker,
  signal: AbortSignal,
  request: Omit<RequestPermissionRequest, 'sessionId'>,
): Promise<unknown> {
  const response: unknown = await client.request(
    methods.client.session.requestPermission,
    { sessionId, ...request },
    { cancellationSignal: signal, stopWaitingOnCancel: true },
  );
  const outcome = (
    response as { outcome?: { outcome?: unknown; optionId?: unknown } | null } | null
  )?.outcome;
  if (outcome?.outcome === 'cancelled') return 'cancelled';
  return outcome?.outcome === 'selected' ? outcome.optionId : undefined;
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
  return client.request(methods.client.elicitation.create, request, {
    cancellationSignal: signal,
    stopWaitingOnCancel: true,
  });
}
