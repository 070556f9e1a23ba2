// How the cards of a project flow through a team's board: the choices of the page, and the days as a chart and a table.

import type { TeamProject } from "../../api/planning/boards";
import type { FlowReport } from "../../api/planning/flow";
import { text } from "../../text";
import { dayIn, sayDay } from "./zone";

const DAY_MS = 86_400_000;
/** Lengths of the period in days. It ends today. */
export const PERIODS = [30, 90, 180, 365];
const USUAL_DAYS = 90;
/** Days of the table: the latest ones. The file has all. */
export const MOST_ROWS = 90;
/** The colour of deleted columns. */
const GREY = "#808080";

export interface FlowChoice {
  /** Absent if the team has no project. */
  project: TeamProject | undefined;
  days: number;
}

/** The project and the period of an address; the first project and 90 days where it has none. */
export function choiceOf(search: URLSearchParams, projects: readonly TeamProject[]): FlowChoice {
  return {
    project: projects.find(({ id }) => id === search.get("project")) ?? projects[0],
    days: PERIODS.find((days) => String(days) === search.get("days")) ?? USUAL_DAYS,
  };
}

/** The first of the days of a zone that end today. */
export function firstDay(days: number, zone: string, now: number = Date.now()): string {
  return new Date(Date.parse(dayIn(zone, now)) - (days - 1) * DAY_MS).toISOString().slice(0, 10);
}

export interface FlowBand {
  key: string;
  name: string;
  color: string;
  points: (readonly [at: number, low: number, high: number])[];
}

/** The cards in each column, day by day, from the bottom up: the last column first, deleted ones on top. */
export function bandsOf({ columns, days }: FlowReport): FlowBand[] {
  const heights = days.map(() => 0);
  const upwards = columns.map((column, at) => ({ column, at })).sort((one, other) =>
    Number(one.column.isDeleted) - Number(other.column.isDeleted) || other.at - one.at);
  return upwards.map(({ column, at }) => ({
    key: column.id,
    name: nameOf(column),
    color: column.color ?? GREY,
    points: days.map(({ day, columns: cards }, index) => {
      const low = heights[index] ?? 0;
      const high = low + (cards[at] ?? 0);
      heights[index] = high;
      return [Date.parse(day), low, high] as const;
    }),
  }));
}

export interface CumulativeFlow {
  label: string;
  description: string;
  from: number;
  until: number;
  bands: FlowBand[];
  lines: { kind: string; name: string; points: [number, number][] }[];
  ticks: { at: number; name: string }[];
  readouts: { at: number; says: string }[];
}

/**
 * The cards of the columns as areas on each other, and those that were closed in the period as a line: as an area they
 * would count twice where they stand in a column.
 */
export function cumulativeFlow(report: FlowReport): CumulativeFlow {
  const { days, from, to } = report;
  const done = closedSoFar(report);
  const moments = days.map(({ day }) => Date.parse(day));
  const name = text.flow.closedSince(sayDay(from));
  const shortDays = days.map(({ day }) => sayDay(day, { year: undefined }));
  const cards = days.map((_, at) => cardsByColumn(report, at));
  return {
    label: text.flow.cumulative,
    description: text.flow.describes(sayDay(from), sayDay(to), cards.at(-1) ?? [], done.at(-1) ?? 0),
    from: moments[0] ?? 0,
    until: moments.at(-1) ?? 0,
    bands: bandsOf(report),
    lines: [{ kind: "closed", name, points: done.map((value, at) => [moments[at] ?? 0, value]) }],
    ticks: moments.map((at, index) => ({ at, name: shortDays[index] ?? "" })),
    readouts: moments.map((at, index) => ({ at, says:
      [shortDays[index], ...(cards[index] ?? []), `${name} ${done[index] ?? 0}`].join(" · ") })),
  };
}

export interface FlowTable {
  heads: string[];
  /** The last day first. */
  rows: string[][];
}

export function tableOf(report: FlowReport): FlowTable {
  const { day, open, closed, created, done } = text.flow.heads;
  return {
    heads: [day, ...report.columns.map(nameOf), open, closed, created, done],
    rows: report.days.slice(-MOST_ROWS).reverse().map((row) => [sayDay(row.day),
      ...[...row.columns, row.open, row.closed, row.created, row.done].map((cards) => cards.toLocaleString())]),
  };
}

const nameOf = ({ name, isDeleted }: FlowReport["columns"][number]) => (isDeleted ? text.flow.deletedColumn : name);

function closedSoFar({ days }: FlowReport): number[] {
  let sum = 0;
  return days.map(({ done }) => (sum += done));
}

/** The columns that had cards on a day, with their number. */
function cardsByColumn({ columns, days }: FlowReport, at: number): string[] {
  return columns.flatMap((column, index) => {
    const cards = days[at]?.columns[index] ?? 0;
    return cards > 0 ? [`${nameOf(column)} ${cards}`] : [];
  });
}
