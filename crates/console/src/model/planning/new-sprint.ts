// A proposal for a new sprint: the next number, and the days after the last one, as long as that was.

import type { Sprint } from "../../api/planning/sprints";
import { text } from "../../text";
import { dayIn, daysOf } from "./zone";

const USUAL_DAYS = 14;
const DAY_MS = 86_400_000;

export interface Proposal {
  name: string;
  start: string;
  end: string;
}

const plus = (day: string, days: number) => new Date(Date.parse(day) + days * DAY_MS).toISOString().slice(0, 10);
const lengthOf = ({ start, end }: { start: string; end: string }) =>
  Math.round((Date.parse(end) - Date.parse(start)) / DAY_MS) + 1;

/** Proposes a sprint after all of a team's `sprints`, which come newest first. */
export function proposeSprint(sprints: readonly Sprint[], zone: string, now: number = Date.now()): Proposal {
  const dated = sprints.map((sprint) => daysOf(sprint, zone)).filter(({ start, end }) => start && end);
  const last = dated.toSorted((one, other) => other.end.localeCompare(one.end))[0];
  const today = dayIn(zone, now);
  const start = last && last.end >= today ? plus(last.end, 1) : today;
  return { name: nextName(sprints), start, end: plus(start, (last ? lengthOf(last) : USUAL_DAYS) - 1) };
}

/** The name of the last sprint with the next number, or the number of sprints. */
function nextName(sprints: readonly Sprint[]): string {
  const names = new Set(sprints.map(({ name }) => name));
  const numbered = sprints.map(({ name }) => /^(.*?)(\d{1,6})(\D*)$/u.exec(name)).find((match) => match !== null);
  const [, before, number, after] = numbered ?? [undefined, `${text.sprints.one} `, String(sprints.length), ""];
  for (let next = Number(number) + 1; ; next += 1) {
    const name = `${before}${String(next).padStart(number.length, "0")}${after}`;
    if (!names.has(name)) return name;
  }
}
