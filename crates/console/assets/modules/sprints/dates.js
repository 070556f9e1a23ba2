// The days of a sprint as people say them.

import { text } from "../../text.js";

/** A day as people say it. @param {string} iso */
export const day = (iso) => new Date(iso).toLocaleDateString(undefined, { day: "numeric", month: "short", year: "numeric" });

/** @param {any} sprint */
export function period(sprint) {
  if (!sprint.start_date || !sprint.end_date) return text.sprints.undated;
  return text.sprints.period(day(sprint.start_date), day(sprint.end_date));
}

/** Whose days are shown, for a sprint that begins or ends within a day of the person. @param {any} sprint */
export function zoneHint(sprint) {
  if (!sprint.start_date || !sprint.end_date) return "";
  const [start, end] = [new Date(sprint.start_date), new Date(sprint.end_date)];
  const isWhole = start.getHours() + start.getMinutes() === 0 && new Date(end.getTime() + 60_000).getDate() !== end.getDate();
  return isWhole ? "" : text.sprints.otherZone(Intl.DateTimeFormat().resolvedOptions().timeZone);
}
