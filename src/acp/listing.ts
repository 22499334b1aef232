import type { ListSessionsResponse, SessionInfo } from '@agentclientprotocol/sdk/unstable';
import { listSessions, type SessionQuery, type SessionSummary } from '../session/library.ts';

/** A page of the stored sessions in ACP's words. Throws `InputError` for a cursor that is none. */
export function listStored(dataDir: string, query: SessionQuery): ListSessionsResponse {
  const { sessions, nextCursor } = listSessions(dataDir, query);
  return { sessions: sessions.map(toInfo), ...(nextCursor === undefined ? {} : { nextCursor }) };
}

function toInfo({ id, cwd, additionalDirectories, title, updatedAt }: SessionSummary): SessionInfo {
  return {
    sessionId: id,
    cwd,
    updatedAt,
    ...(title === undefined ? {} : { title }),
    ...(additionalDirectories.length > 0 ? { additionalDirectories } : {}),
  };
}
