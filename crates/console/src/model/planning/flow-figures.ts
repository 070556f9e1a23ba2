// The figures of a flow report in words: how long cards take, how many are done in a week, and which have been in
// progress for the longest time.

import type { FlowReport, FlowTimes } from "../../api/planning/flow";
import { text } from "../../text";
import { inWords } from "./burndown";
import { cardHref } from "./card-name";
import { dayIn, sayDay } from "./zone";

const DAY_MS = 86_400_000;
const [HOUR_MINUTES, DAY_MINUTES] = [60, 1440];
/** Cards in progress that are listed. */
const MOST_CARDS = 20;

/** A duration in its two largest units, without what is left over. */
export function sayDuration(seconds: number): string {
  const all = Math.floor(seconds / 60);
  const [days, hours, minutes] =
    [Math.floor(all / DAY_MINUTES), Math.floor((all % DAY_MINUTES) / HOUR_MINUTES), all % HOUR_MINUTES];
  const say = text.flow.durations;
  const parts = days > 0 ? [say.days(days), hours > 0 && say.hours(hours)]
    : [hours > 0 && say.hours(hours), minutes > 0 && say.minutes(minutes)];
  return parts.filter(Boolean).join(" ") || say.moment;
}

export interface Week {
  week: string;
  name: string;
  cards: number;
  effort: number;
  /** All of its days are in the period and over. */
  isWhole: boolean;
}

export interface Throughput {
  weeks: Week[];
  /** The last whole week. */
  last: Week | undefined;
  /** Of the whole weeks. */
  mean: { cards: number; effort: number; weeks: number };
}

export function throughputOf({ throughput, from, to }: FlowReport): Throughput {
  const isOver = (week: string) => Date.parse(week) + 7 * DAY_MS <= Date.parse(to);
  const weeks = throughput.map((one) =>
    ({ ...one, name: sayDay(one.week, { year: undefined }), isWhole: one.week >= from && isOver(one.week) }));
  const whole = weeks.filter(({ isWhole }) => isWhole);
  const mean = (of: "cards" | "effort") => whole.reduce((sum, week) => sum + week[of], 0) / Math.max(1, whole.length);
  return { weeks, last: whole.at(-1), mean: { cards: mean("cards"), effort: mean("effort"), weeks: whole.length } };
}

export interface Figure {
  key: string;
  name: string;
  value: string;
  /** Percentiles, or the mean. */
  more: string;
  help: string;
}

/** The figures of a report; none if no card was closed. */
export function figuresOf(report: FlowReport): Figure[] {
  if (report.leadTime.cards === 0) return [];
  const { last, mean } = throughputOf(report);
  const { figures } = text.flow;
  const weekly = (key: "cards" | "effort") => ({ key, ...figures[key], value: inWords(last?.[key] ?? 0),
    more: text.flow.mean(inWords(mean[key]), mean.weeks) });
  return [
    { key: "lead", ...figures.lead, ...timesInWords(report.leadTime) },
    { key: "cycle", ...figures.cycle, ...timesInWords(report.cycleTime) },
    weekly("cards"),
    weekly("effort"),
  ];
}

function timesInWords({ p50, p85, p95 }: FlowTimes): Pick<Figure, "value" | "more"> {
  if (p50 === null || p85 === null || p95 === null) return { value: "–", more: text.flow.noTimes };
  return { value: sayDuration(p50), more: text.flow.percentiles(sayDuration(p85), sayDuration(p95)) };
}

export interface OldCard {
  id: string;
  key: string | null;
  name: string;
  href: string;
  since: string;
  age: string;
}

/** The cards that have been in progress for the longest time, and the number of all in progress. */
export function oldestOf(report: FlowReport, project: string): { cards: OldCard[]; total: number } {
  const { cards = [], total = 0 } = report.inProgress ?? {};
  return {
    cards: cards.slice(0, MOST_CARDS).map(({ cardId: id, key, name, since, seconds }) => ({ id, key, name,
      href: cardHref(project, { id, key }), since: sayDay(dayIn(report.timeZone, since)), age: sayDuration(seconds) })),
    total,
  };
}
