// A sprint: its fields and report, its start and its completion. Only what a person changes is sent, so that a new name
// never moves its days.

import { signal } from "@preact/signals";
import type { TeamPath } from "../../api/planning/boards";
import { ApiError } from "../../api/errors";
import { sprintApi, type Sprint, type SprintApi, type SprintChanges,
  type SprintReport } from "../../api/planning/sprints";
import { text } from "../../text";
import { keepEqual } from "../equal";
import { record } from "../undo";
import { daysOf, sayDay } from "./zone";

/** The days of a sprint, by the team's zone; empty while undecided. */
export interface SprintDays {
  start: string;
  end: string;
}

export interface SprintFields extends SprintDays {
  name: string;
  description: string;
}

export function fieldsOf(sprint: Sprint, zone: string): SprintFields {
  return { name: sprint.name, description: sprint.description, ...daysOf(sprint, zone) };
}

/** The differences between two states of a form. */
export function changesOf(before: SprintFields, after: SprintFields): SprintChanges {
  return {
    ...(after.name !== before.name ? { name: after.name } : {}),
    ...(after.description !== before.description ? { description: after.description } : {}),
    ...(after.start !== before.start ? { startDate: after.start || null } : {}),
    ...(after.end !== before.end ? { endDate: after.end || null } : {}),
  };
}

/** Refuses days that the service would refuse, in days of the team. */
export function checkDays({ start, end }: SprintDays): void {
  if (!start || !end || end >= start) return;
  const message = text.sprints.notBefore(sayDay(start));
  throw new ApiError(400, { details: { issues: [{ path: "body.endDate", rule: "notBefore", message }] } });
}

export class SprintModel {
  readonly sprint = signal<Sprint | null>(null);
  readonly report = signal<SprintReport | null>(null);
  readonly path: TeamPath;
  readonly id: string;
  readonly #api: SprintApi;

  constructor(path: TeamPath, id: string, api: SprintApi = sprintApi) {
    [this.path, this.id, this.#api] = [path, id, api];
  }

  async reload(): Promise<void> {
    const { path, id } = this;
    const [sprint, report] = await Promise.all([this.#api.read(path, id), this.#api.report(path, id)]);
    this.sprint.value = keepEqual(this.sprint.peek() ?? undefined, sprint);
    this.report.value = keepEqual(this.report.peek() ?? undefined, report);
  }

  /** Sends what differs from `before`, and can take it back. */
  async save(before: SprintFields, after: SprintFields): Promise<void> {
    checkDays(after);
    await this.#change(changesOf(before, after));
    const back = changesOf(after, before);
    if (Object.keys(back).length > 0) record({ name: after.name, undo: () => this.#change(back) });
  }

  /** Starts the sprint. Days that the person leaves as they are stay as the service has them. */
  async start(before: SprintFields, days: SprintDays, allowConcurrent: boolean): Promise<void> {
    checkDays(days);
    const { startDate, endDate } = changesOf(before, { ...before, ...days });
    await this.#api.start(this.path, this.id, { allowConcurrent, ...(startDate !== undefined ? { startDate } : {}),
      ...(endDate !== undefined ? { endDate } : {}) });
    await this.#read();
  }

  /** Completes the sprint. Its open cards go to the backlog, to another sprint, or stay. */
  async complete(target: string | null): Promise<void> {
    await this.#api.complete(this.path, this.id, target);
    await this.#read();
  }

  async #change(changes: SprintChanges): Promise<void> {
    if (Object.keys(changes).length === 0) return;
    this.sprint.value = await this.#api.change(this.path, this.id, changes);
  }

  /** Reads the sprint after a change; a reading that fails is made again by the next event. */
  async #read(): Promise<void> {
    await this.reload().catch(() => {});
  }
}
