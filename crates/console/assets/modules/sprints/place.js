// What all pages of a team's planning begin with.

import { all, get } from "../../api/client.js";
import { text } from "../../text.js";
import { teamPlaces } from "../../ui/places.js";

/** @param {string} org @param {string} id @param {string} here the page's path below that of the team @param {string} title */
export async function teamPage(org, id, here, title) {
  const path = `/orgs/${org}/teams/${id}`;
  const [{ team }, projects] = await Promise.all([get(path), all(`${path}/projects`, "projects")]);
  return {
    path, team, projects,
    view: {
      title: `${title} · ${team.name}`,
      crumbs: [{ name: text.projects.title, href: "/projects" }, { name: team.name, href: path }, { name: title }],
      navigation: teamPlaces(org, team, projects, here),
    },
  };
}

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
