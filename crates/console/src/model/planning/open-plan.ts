// A plan that is open: its model with the team around it, followed live.

import { teamAddress, type TeamPath } from "../../api/planning/boards";
import type { StreamEvent } from "../../api/events";
import { watch, type Watch } from "../../api/watch";
import type { Filter } from "./board-filter";
import { Planning } from "./planning";
import { openTeam, type OpenedTeam } from "./team";

export interface OpenPlan {
  planning: Planning;
  opened: OpenedTeam;
  live: Watch;
  /** Tells events of the team, until the returned function is called. */
  listen: (heard: (event: StreamEvent) => void) => () => void;
}

interface PlanOptions {
  filter?: Filter;
  /** Reads what the page shows beside the plan, again after each change. */
  also?: () => Promise<unknown>;
}

export async function openPlan(path: TeamPath, { filter = {}, also }: PlanOptions = {}): Promise<OpenPlan> {
  const planning = new Planning(path, () => live.later());
  planning.filter.value = filter;
  const read = () => Promise.all([planning.reload(), also?.()]);
  const [opened] = await Promise.all([openTeam(path), read()]);
  planning.me = opened.caller.id;
  const listeners = new Set<(event: StreamEvent) => void>();
  const live = watch(`${teamAddress(path)}/events`, read, (event) => {
    for (const heard of listeners) heard(event);
    return true;
  });
  const listen = (heard: (event: StreamEvent) => void) => {
    listeners.add(heard);
    return () => void listeners.delete(heard);
  };
  return { planning, opened, live, listen };
}
