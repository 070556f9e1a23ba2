// The course of a sprint in numbers: its lines, the changes of its scope, and the table behind them.

import type { Sprint, SprintReport } from "../../api/planning/sprints";
import { text } from "../../text";
import { dayIn, sayDay } from "./zone";

export type Unit = "cards" | "effort";

const DAY_MS = 86_400_000;

/** Effort where anybody estimates, else cards. */
export function unitOf(reports: readonly SprintReport[]): Unit {
  return reports.some(({ scope_at_start: scope }) => scope.total.effort > 0) ? "effort" : "cards";
}

export interface Course {
  label: string;
  from: number;
  until: number;
  lines: { kind: string; points: [number, number][]; area?: boolean }[];
  ticks: { at: number; name: string }[];
  marks: { at: number; value: number; says: string }[];
  now: { at: number; name: string } | undefined;
  readouts: { at: number; says: string }[];
  rows: string[][];
}

export interface CourseOptions {
  unit: Unit;
  /** The work that is done, from the bottom up, instead of the work that remains. */
  isUp: boolean;
  zone: string;
}

/** The course of a sprint that has begun. Values are those of the ends of days. */
export function courseOf(sprint: Sprint, report: SprintReport, { unit, isUp, zone }: CourseOptions): Course {
  const { columns } = text.sprints;
  const now = Date.parse(report.as_of);
  const first = report.scope_at_start.total[unit];
  const from = Date.parse(report.days[0]?.day ?? sprint.start_date ?? report.as_of);
  const end = Date.parse(sprint.end_date ?? report.as_of);
  const ends = report.days.map(({ day }) => Math.min(Date.parse(day) + DAY_MS, Math.max(now, from)));
  const moments = [from, ...ends];
  const until = Math.max(end, moments.at(-1) ?? from, from + DAY_MS);
  const scope = [first, ...report.days.map((day) => day.scope[unit])];
  const course = isUp ? [0, ...report.days.map((day) => day.done[unit])]
    : [first, ...report.days.map((day) => day.remaining[unit])];
  const idealAt = (at: number) => {
    const part = Math.max(0, Math.min(1, (at - from) / Math.max(1, end - from)));
    return first * (isUp ? part : 1 - part);
  };
  const say = (at: number) => sayDay(dayIn(zone, at), { year: undefined });
  const points = (values: number[]) => values.map((value, at): [number, number] => [moments[at] ?? until, value]);
  const isUnderWay = sprint.status !== "completed";
  const main = isUp ? columns.done : columns.remaining;
  return {
    label: text.sprints.said(isUp ? text.sprints.burnup : text.sprints.burndown, say(from), say(until - 1),
      course.at(-1) ?? 0),
    from,
    until,
    lines: [
      { kind: "ideal", points: [[from, idealAt(from)], [end, idealAt(end)]] },
      { kind: "scope", points: points(scope) },
      { kind: "course", points: points(course), area: true },
    ],
    ticks: Array.from({ length: Math.floor((until - from) / DAY_MS) + 1 }, (_, at) => from + at * DAY_MS)
      .map((at) => ({ at, name: say(at) })),
    marks: scope.flatMap((value, at) => (at > 0 && value !== scope[at - 1]
      ? [{ at: moments[at] ?? until, value, says: `${columns.scope} ${scope[at - 1]} → ${value}` }] : [])),
    now: isUnderWay && now >= from && now <= until ? { at: now, name: text.sprints.today } : undefined,
    readouts: report.days.map((day, at) => ({ at: moments[at + 1] ?? until, says:
      `${say(Date.parse(day.day))} · ${main} ${course[at + 1]} · ${columns.scope} ${day.scope[unit]}` })),
    rows: report.days.map((day, at) => [say(Date.parse(day.day)), String(day.scope[unit]), String(day.done[unit]),
      String(day.remaining[unit]), inWords(idealAt(moments[at + 1] ?? until))]),
  };
}

export const inWords = (value: number) => value.toLocaleString(undefined, { maximumFractionDigits: 1 });
