// The executions that ran in the session.

import type { KnownExecution } from "../../../model/work/executions";
import type { OpenExecutions } from "../../../model/work/open-executions";
import { text } from "../../../text";
import { Avatar } from "../../../ui/avatar";
import { Icon } from "../../../ui/icon";
import { Time } from "../../../ui/time";
import { Duration } from "./duration";
import { ExecutionState } from "./result";

export function Earlier({ open }: { open: OpenExecutions }) {
  const all = open.executions.all.value;
  return (
    <section aria-labelledby="earlier">
      <h2 id="earlier">{text.executions.earlier}</h2>
      {all.length === 0 ? <p class="soft">{text.executions.none}</p>
        : <ul class="rows">{all.map((one) => <ExecutionRow key={one.executionId} open={open} one={one} />)}</ul>}
    </section>
  );
}

function ExecutionRow({ open: { executions, people }, one }: { open: OpenExecutions; one: KnownExecution }) {
  const { executionId, objectId, state = "", createdAt, createdBy } = one;
  const by = people.get(createdBy ?? "");
  return (
    <li>
      <button type="button" class="row execution-row" aria-pressed={executionId === executions.shown.value}
        onClick={() => executions.choose(executionId)}>
        <Icon name="run" />
        <span class="name" dir="auto">{executions.nameOf(objectId)}</span>
        <ExecutionState state={state} />
        <span class="soft"><Duration one={one} /></span>
        <span class="owner">
          {by && <Avatar name={by} of={createdBy} />}
          <span class="soft"><Time iso={createdAt} /></span>
        </span>
      </button>
    </li>
  );
}
