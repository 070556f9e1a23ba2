// The days of a sprint as people say them.

import { text } from "../../text.js";
import { dayOf, dayZone } from "../../ui/days.js";

/** @param {any} sprint */
export function period(sprint) {
  if (!sprint.start_date || !sprint.end_date) return text.sprints.undated;
  return text.sprints.period(dayOf(sprint.start_date), dayOf(sprint.end_date));
}

/** Whose days are shown, where the person lives by other ones. */
export function zoneHint() {
  const { zone, isOther } = dayZone();
  return isOther ? text.sprints.teamZone(zone) : "";
}
