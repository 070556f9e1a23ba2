// A page of a team: its record with its projects, and what stands around the content.

import { all, get } from "../api/client.js";
import { caller } from "../api/people.js";
import { useZone } from "./days.js";
import { teamPlaces } from "./places.js";

/**
 * @typedef {{ path: string, team: any, projects: any[], organizations: any[], user: import("../api/people.js").Caller }} OpenedTeam
 *   the projects are those whose cards the team plans, the organizations those of the caller
 */

/** @param {string} org @param {string} id @returns {Promise<OpenedTeam>} */
export async function openTeam(org, id) {
  const path = `/orgs/${org}/teams/${id}`;
  const [{ team }, projects, organizations, user] =
    await Promise.all([get(path), all(`${path}/projects`, "projects"), all("/orgs", "organizations"), caller()]);
  useZone(team.time_zone);
  return { path, team, projects, organizations, user };
}

/** The frame of a team's page. @param {OpenedTeam} opened @param {string} here the page's path below that of the team @param {string} title */
export function teamView(opened, here, title) {
  return { title: `${title} · ${opened.team.name}`, ...teamPlaces(opened, here, { name: title }) };
}

/** @param {string} org @param {string} id @param {string} here the page's path below that of the team @param {string} title */
export async function teamPage(org, id, here, title) {
  const opened = await openTeam(org, id);
  return { ...opened, view: teamView(opened, here, title) };
}
