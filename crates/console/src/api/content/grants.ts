// The data plane's grants: the session of this tab on a project's branch, which uploads need.

import { answer, api } from "../client";
import { ApiError } from "../errors";

/** Where and by which token a session's files are sent. `{parentId}` in addresses is the object above. */
export interface Access {
  session: string;
  token: string;
  resumable: string;
  bulk: string;
}

/** The grants in memory, by place; a new one is asked for when the service refuses the old. */
const held = new Map<string, Promise<Access>>();

/** The grant for a place: a project, with its branch where that isn't the default one. */
export function accessTo(place: string): Promise<Access> {
  const known = held.get(place) ?? open(place);
  held.set(place, known);
  known.catch(() => held.delete(place));
  return known;
}

/** Forgets a grant that the data plane refuses. */
export function refuseAccess(place: string): void {
  held.delete(place);
}

/** Only the service can say that a session has ended: a lost connection must not leave its uploads behind. */
function noneIfRefused(error: unknown): null {
  if (error instanceof ApiError && !error.isPassing) return null;
  throw error;
}

async function open(projectId: string): Promise<Access> {
  const key = `files:${projectId}`;
  const kept = sessionStorage.getItem(key);
  const sessionId = kept ? (JSON.parse(kept) as { id: string }).id : null;
  if (sessionId) {
    const path = { projectId, sessionId };
    const found = await answer(
      api.GET("/api/v2/projects/{projectId}/sessions/{sessionId}", { params: { path } }),
    ).catch(noneIfRefused);
    if (found && found.session.status !== "no_session") {
      const grant = await answer(
        api.POST("/api/v2/projects/{projectId}/sessions/{sessionId}/grant", { params: { path } }),
      ).catch(noneIfRefused);
      if (grant) return accessOf({ ...found.session, dataPlane: grant.dataPlane });
    }
  }
  const made = await answer(
    api.POST("/api/v2/projects/{projectId}/sessions", { params: { path: { projectId } }, body: {} }),
  );
  sessionStorage.setItem(key, JSON.stringify({ id: made.sessionId }));
  return accessOf(made);
}

function accessOf(session: {
  sessionId: string;
  resumableUrl: string;
  bulkUrl: string;
  dataPlane: { token: string };
}) {
  const { sessionId, resumableUrl, bulkUrl, dataPlane } = session;
  return { session: sessionId, token: dataPlane.token, resumable: resumableUrl, bulk: bulkUrl };
}

/** The session of this tab on a place. */
export const sessionOf = async (place: string) => (await accessTo(place)).session;
