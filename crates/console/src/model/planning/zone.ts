// Days of a team, which run by its time zone: the same days for everybody who looks at its sprints.

import { text } from "../../text";

/** The day of an instant in a zone, as `2026-11-27`. */
export function dayIn(zone: string, at: string | number | Date): string {
  const parts = new Intl.DateTimeFormat("en-US-u-ca-gregory-nu-latn", {
    year: "numeric",
    month: "2-digit",
    day: "2-digit",
    timeZone: zone,
  }).formatToParts(new Date(at));
  const part = (name: string) => parts.find(({ type }) => type === name)?.value ?? "";
  return `${part("year").padStart(4, "0")}-${part("month")}-${part("day")}`;
}

/** A day in words. Days have no zone of their own. */
export function sayDay(day: string, options: Intl.DateTimeFormatOptions = {}): string {
  const usual = { day: "numeric", month: "short", year: "numeric" } as const;
  return new Date(day).toLocaleDateString(undefined, { ...usual, ...options, timeZone: "UTC" });
}

interface Dated {
  start_date: string | null;
  end_date: string | null;
}

/** The first and the last day of a sprint; empty while undecided. */
export function daysOf({ start_date: start, end_date: end }: Dated, zone: string): { start: string; end: string } {
  return { start: start ? dayIn(zone, start) : "", end: end ? dayIn(zone, end) : "" };
}

/** The days of a sprint in words. */
export function periodOf(sprint: Dated, zone: string): string {
  const { start, end } = daysOf(sprint, zone);
  if (!start || !end) return text.sprints.undated;
  // The year is said where it is another one.
  const year = dayIn(zone, Date.now()).slice(0, 4);
  const options = start.startsWith(year) && end.startsWith(year) ? { year: undefined } : {};
  return text.sprints.period(sayDay(start, options), sayDay(end, options));
}

/** True if the person lives by days other than those of the zone. */
export function isForeign(zone: string): boolean {
  return zone !== Intl.DateTimeFormat().resolvedOptions().timeZone;
}
