// The velocity of a team: what its last completed sprints planned and finished. And the flow of the active sprint.

import type { TeamPath } from "../../api/planning/boards";
import { readLastSprints, readReport, type Sprint, type SprintReport } from "../../api/planning/sprints";
import { unitOf } from "./burndown";
import { openTeam, type OpenedTeam } from "./team";

const SPRINTS = 10;

export interface Told {
  sprint: Sprint;
  report: SprintReport;
}

export interface Reports {
  opened: OpenedTeam;
  /** Completed sprints, the last one last. */
  done: Told[];
  running: Told | undefined;
}

export async function openReports(path: TeamPath): Promise<Reports> {
  const tell = async (sprint: Sprint): Promise<Told> => ({ sprint, report: await readReport(path, sprint.id) });
  const tellAll = async (sprints: Promise<Sprint[]>) => Promise.all((await sprints).map(tell));
  const [opened, done, [running]] = await Promise.all([
    openTeam(path),
    tellAll(readLastSprints(path, "completed", SPRINTS)),
    tellAll(readLastSprints(path, "active", 1)),
  ]);
  return { opened, done: done.reverse(), running };
}

export interface Velocity {
  rows: { id: string; name: string; planned: number; done: number }[];
  average: number;
}

/** Effort where anybody estimates, else cards. */
export function velocityOf(done: readonly Told[]): Velocity {
  const unit = unitOf(done.map(({ report }) => report));
  const rows = done.map(({ sprint: { id, name }, report }) =>
    ({ id, name, planned: report.scope_at_start.total[unit], done: report.done.total[unit] }));
  return { rows, average: rows.reduce((sum, row) => sum + row.done, 0) / Math.max(1, rows.length) };
}
