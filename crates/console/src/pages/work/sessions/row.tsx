// A session in the list of its project.

import type { Session } from "../../../api/work/sessions";
import { creditsOf } from "../../../model/work/cost";
import type { Sessions } from "../../../model/work/sessions";
import { text } from "../../../text";
import { Avatar } from "../../../ui/avatar";
import { Icon } from "../../../ui/icon";
import { Time } from "../../../ui/time";
import { SessionStatus } from "../../parts/session-status";

interface SessionRowProps {
  session: Session;
  sessions: Sessions;
  /** Name of the person who opened it, if it is known. */
  owner: string | undefined;
}

export function SessionRow({ session, sessions, owner }: SessionRowProps) {
  const { projectId, sessionId, status, branch, budget, createdAt } = session;
  const task = sessions.tasks.value.get(sessionId);
  const cost = costWords(sessions.costs.value.get(sessionId), budget?.credits);
  return (
    <li>
      <a class="row session-row" href={`/projects/${projectId}/sessions/${sessionId}`}>
        <Icon name="agent" />
        <span class={task ? "name" : "soft"} dir="auto">{task || text.sessions.untitled}</span>
        <SessionStatus status={sessions.asking.value.has(sessionId) ? "asking" : status} />
        <span class="soft wide-only" dir="auto">{branch}</span>
        <span class="soft wide-only">{cost}</span>
        <span class="owner">
          {owner && <Avatar name={owner} of={session.createdBy} />}
          <span class="soft"><Time iso={createdAt} /></span>
        </span>
      </a>
    </li>
  );
}

/** The cost of a session beside its budget. */
function costWords(cost: number | undefined, budget: number | undefined): string {
  if (cost === undefined) return "";
  const spent = creditsOf(cost);
  return budget === undefined ? text.sessions.credits(spent) : text.sessions.ofBudget(spent, creditsOf(budget));
}
