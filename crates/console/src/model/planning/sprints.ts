// The sprints of a team, and the making and deleting of one.

import { computed, signal } from "@preact/signals";
import { teamAddress, type TeamPath } from "../../api/planning/boards";
import {
  createSprint,
  deleteSprint,
  readReport,
  readSprints,
  type Sprint,
  type SprintReport,
  type SprintStatus,
} from "../../api/planning/sprints";
import { watch, type Watch } from "../../api/watch";
import { text } from "../../text";
import { keepEqual } from "../equal";
import { proposeSprint, type Proposal } from "./new-sprint";
import { checkDays, type SprintFields } from "./sprint";
import { openTeam, type OpenedTeam } from "./team";
import { deleteLater } from "../undo";
import { dayIn, daysOf } from "./zone";

/** Sprints whose deletion waits to be sent. They are hidden on each page. */
const hidden = signal<ReadonlySet<string>>(new Set());

const STATES = ["active", "planned", "completed"] as const;

export class Sprints {
  readonly path: TeamPath;
  readonly all = signal<readonly Sprint[]>([]);
  /** Those of each state; states without one are left out. */
  readonly groups = computed(() => STATES.map((status): [SprintStatus, Sprint[]] =>
    [status, this.all.value.filter((one) => one.status === status && !hidden.value.has(one.id))])
    .filter(([, sprints]) => sprints.length > 0));

  constructor(path: TeamPath) {
    this.path = path;
  }

  /** Reports of the active sprints by their ids. */
  readonly reports = signal<ReadonlyMap<string, SprintReport>>(new Map());

  async reload(): Promise<void> {
    const all = await readSprints(this.path);
    const active = all.filter(({ status }) => status === "active");
    const reports = await Promise.all(active.map(async ({ id }) => [id, await readReport(this.path, id)] as const));
    this.all.value = keepEqual(this.all.peek(), all);
    this.reports.value = new Map(reports);
  }

  propose(zone: string): Proposal {
    return proposeSprint(this.all.peek(), zone);
  }

  async create({ name, description, start, end }: SprintFields, key: string): Promise<Sprint> {
    checkDays({ start, end });
    return createSprint(this.path, { name, description, ...(start ? { startDate: start } : {}),
      ...(end ? { endDate: end } : {}) }, key);
  }
}

/** Deletes a planned sprint, after the time in which the person can take that back. */
export function deleteSprintLater(path: TeamPath, { id, name }: Sprint): void {
  const show = (isShown: boolean) => {
    const now = new Set(hidden.value);
    if (isShown) now.delete(id);
    else now.add(id);
    hidden.value = now;
  };
  deleteLater({ name, hide: () => show(false), restore: () => show(true), send: () => deleteSprint(path, id) });
}

const DAY_MS = 86_400_000;

/** How near a sprint is: what its days mean today. */
export function whenOf(sprint: Sprint, zone: string, now: number = Date.now()): string {
  const { start, end } = daysOf(sprint, zone);
  const today = dayIn(zone, now);
  const until = (day: string) => Math.round((Date.parse(day) - Date.parse(today)) / DAY_MS);
  if (sprint.status === "active" && end) return text.sprints.daysLeft(until(end));
  if (sprint.status === "planned" && start > today) return text.sprints.startsIn(until(start));
  return "";
}

export interface OpenSprints {
  sprints: Sprints;
  opened: OpenedTeam;
  live: Watch;
}

export async function openSprints(path: TeamPath): Promise<OpenSprints> {
  const sprints = new Sprints(path);
  const [opened] = await Promise.all([openTeam(path), sprints.reload()]);
  const live = watch(`${teamAddress(path)}/events`, () => sprints.reload(), () => true);
  return { sprints, opened, live };
}
