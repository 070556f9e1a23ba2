// The cost of agents in a period: by day, model, project, session or card, as rows, bars, and a file.

import {
  readCardCosts,
  readProjectNames,
  readUsage,
  readUsageTable,
  type CardCost,
  type Days,
  type GroupBy,
  type UsageGroup,
  type UsageOf,
} from "../../api/work/usage";
import { text } from "../../text";
import { sayDay } from "../planning/zone";

const DAY_MS = 86_400_000;
const USUAL_DAYS = 30;
export const MOST_BARS = 92;

export type By = GroupBy | "card";

export interface Period extends Days {
  by: By;
}

/** Groupings of each kind of report. */
export const GROUPINGS: Record<UsageOf["kind"], readonly By[]> = {
  account: ["day", "model", "project"],
  organization: ["day", "model", "project"],
  project: ["day", "model", "session", "card"],
};

export interface UsageRow {
  /** The key of the row: an id, a day, or a model. */
  key: string;
  name: string;
  credits: number;
  eventCount?: number;
  promptTokens?: number;
  completionTokens?: number;
  runCount?: number;
  href?: string | undefined;
}

export interface Usage {
  period: Period;
  totals: { credits: number; eventCount: number; promptTokens: number; completionTokens: number };
  rows: UsageRow[];
  asOf: string | null;
}

/** The columns of a grouping. */
export function columnsOf(by: By): (keyof UsageRow)[] {
  return by === "card" ? ["credits", "runCount"] : ["credits", "eventCount", "promptTokens", "completionTokens"];
}

/** The period and the grouping in an address; the last 30 days where it has none. */
export function periodOf(search: URLSearchParams, of: UsageOf, now: number = Date.now()): Period {
  const usual = lastDays(USUAL_DAYS, now);
  const given = (name: string) => /^\d{4}-\d\d-\d\d$/.exec(search.get(name) ?? "")?.[0];
  const by = GROUPINGS[of.kind].find((one) => one === search.get("by")) ?? "day";
  return { from: given("from") ?? usual.from, to: given("to") ?? usual.to, by };
}

/** The last days up to today, as days of UTC. */
export function lastDays(count: number, now: number = Date.now()): Days {
  const day = (at: number) => new Date(at).toISOString().slice(0, 10);
  return { from: day(now - (count - 1) * DAY_MS), to: day(now) };
}

export async function readReport(of: UsageOf, period: Period): Promise<Usage> {
  const { from, to, by } = period;
  const groupBy = by === "card" ? "day" : by;
  const isNamed = by === "project" && of.kind !== "project";
  const [report, names, costs] = await Promise.all([
    readUsage(of, { from, to, groupBy }),
    isNamed ? readProjectNames(of.kind === "organization" ? of.id : undefined) : new Map<string, string>(),
    by === "card" && of.kind === "project" ? readCardCosts(of.id, { from, to }) : null,
  ]);
  const rows = costs && of.kind === "project" ? cardRows(costs, of.id)
    : (report.groups ?? []).map((group) => rowOf(group, of, names));
  return { period, totals: report.totals, rows, asOf: report.asOf };
}

export function rowOf(group: UsageGroup, of: UsageOf, names: ReadonlyMap<string, string>): UsageRow {
  const { credits, eventCount, promptTokens, completionTokens, day, model, provider, projectId, sessionId } = group;
  const figures = { credits, eventCount, promptTokens, completionTokens };
  if (day) return { key: day.slice(0, 10), name: day.slice(0, 10), ...figures };
  if (model !== undefined) return { key: `${provider} ${model}`, name: `${provider} ${model}`, ...figures };
  if (sessionId && of.kind === "project") {
    const href = `/projects/${of.id}/sessions/${sessionId}`;
    return { key: sessionId, name: sessionId.slice(0, 8), href, ...figures };
  }
  const id = projectId ?? "";
  const known = names.get(id);
  return { key: id, name: known ?? text.usage.otherProject, href: known && `/projects/${id}/usage`, ...figures };
}

export function cardRows({ cards, other }: { cards: readonly CardCost[]; other: number }, project: string): UsageRow[] {
  const rows = cards.map(({ cardId, name, credits, runCount }): UsageRow => ({ key: cardId, credits, runCount,
    name: name ?? text.usage.deletedCard, href: name === null ? undefined : `/projects/${project}/cards/${cardId}` }));
  return other > 0 ? [...rows, { key: "", name: text.usage.noCard, credits: other }] : rows;
}

/** The bars of a report: every day of the period, so that a day without usage is a gap; or its rows. */
export function barsOf({ period: { from, to, by }, rows }: Pick<Usage, "period" | "rows">) {
  if (by !== "day") return rows.slice(0, MOST_BARS).map(({ name, credits }) => ({ name, value: credits }));
  const known = new Map(rows.map(({ key, credits }) => [key, credits]));
  const count = Math.min(MOST_BARS, Math.max(0, (Date.parse(to) - Date.parse(from)) / DAY_MS + 1));
  return Array.from({ length: count }, (_, at) => {
    const day = new Date(Date.parse(from) + at * DAY_MS).toISOString().slice(0, 10);
    return { name: sayDay(day, { year: undefined }), value: known.get(day) ?? 0 };
  });
}

/** The report as a table for spreadsheets. The service writes all but that of cards. */
export function fileOf(of: UsageOf, { period, rows }: Pick<Usage, "period" | "rows">): Promise<Blob> {
  const { from, to, by } = period;
  if (by !== "card") return readUsageTable(of, { from, to, groupBy: by });
  return Promise.resolve(new Blob([csvOf(by, rows)], { type: "text/csv" }));
}

export function csvOf(by: By, rows: readonly UsageRow[]): string {
  const columns = columnsOf(by);
  // A text that a spreadsheet would calculate begins with an apostrophe.
  const cell = (said: string) => `"${(/^[=+\-@\t\r]/.test(said) ? `'${said}` : said).replaceAll('"', '""')}"`;
  const lines = rows.map((row) => [cell(row.name), ...columns.map((name) => row[name] ?? "")].join(","));
  return [`${by},${columns.join(",")}`, ...lines, ""].join("\r\n");
}
