// The head of a session's page: its first task, state, branch and cost, and what can be done.

import { creditsOf, type Cost } from "../../../model/work/cost";
import type { OpenSession } from "../../../model/work/open-session";
import { text } from "../../../text";
import { Button } from "../../../ui/button";
import { Icon } from "../../../ui/icon";
import { confirm } from "../../parts/confirm";
import { SessionStatus } from "../../parts/session-status";

export function SessionHead({ open: { session } }: { open: OpenSession }) {
  const { projectId, sessionId } = session.path;
  const close = () => confirm({
    title: text.sessions.close,
    says: text.sessions.closeLead,
    action: text.sessions.close,
    send: () => session.close(),
  });
  return (
    <div class="session-head">
      <h1 dir="auto">{session.title.value || text.sessions.untitled}</h1>
      <SessionStatus status={session.state.value} />
      <span class="soft wide-only branch-name" dir="auto"><Icon name="branch" />{session.session.branch}</span>
      <CostMeter cost={session.cost} />
      <a class="button plain" href={`/projects/${projectId}/sessions/${sessionId}/executions`}
        aria-label={text.sessions.execute} title={text.sessions.execute}>
        <Icon name="code" /><span class="wide-only">{text.sessions.execute}</span>
      </a>
      {!session.isClosed.value && <Button name={text.sessions.close} icon="close" kind="plain" quiet onClick={close} />}
    </div>
  );
}

function CostMeter({ cost }: { cost: Cost }) {
  const [spent, budget] = [cost.spent.value, cost.budget.value];
  const words = spent === null ? budget === null ? "" : text.sessions.budgetIs(creditsOf(budget))
    : budget === null ? text.sessions.credits(creditsOf(spent))
      : text.sessions.ofBudget(creditsOf(spent), creditsOf(budget));
  return (
    <div class="cost" role="group" aria-label={text.sessions.cost}>
      <span title={text.sessions.cost}>{words}</span>
      {spent !== null && budget !== null && <progress class={spent >= budget ? "limit over" : "limit"} max={budget}
        value={Math.min(spent, budget)} aria-label={text.sessions.cost} />}
    </div>
  );
}
