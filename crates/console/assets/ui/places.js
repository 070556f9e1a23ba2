// The pages of a project and of a team, as the navigation beside them.

import { all } from "../api/client.js";
import { text } from "../text.js";
import { navigation } from "./navigation.js";

/**
 * The pages of a project, and the boards that plan its cards. `here` is the page's path below that of the project.
 * @param {any} project @param {string} here
 */
export async function projectPlaces(project, here) {
  const root = `/projects/${project.id}`;
  const pages = [
    { name: text.files.title, path: "", icon: "files" },
    { name: text.versions.changes, path: "/changes", icon: "changes" },
    { name: text.versions.history, path: "/history", icon: "history" },
    { name: text.branches.title, path: "/branches", icon: "branch" },
    { name: text.packages.title, path: "/packages", icon: "package" },
    { name: text.sessions.title, path: "/sessions", icon: "agent" },
    { name: text.usage.title, path: "/usage", icon: "chart" },
    { name: text.settings.title, path: "/settings", icon: "settings" },
  ];
  return navigation([
    ...pages.map(({ name, path, icon }) => ({ name, href: root + path, icon, here: path === here })),
    ...(await boardsOf(project)),
  ]);
}

/**
 * The pages of a team, and the projects whose cards it plans. `here` is the page's path below that of the team.
 * @param {string} org @param {any} team @param {any[]} projects @param {string} here
 */
export function teamPlaces(org, team, projects, here) {
  const root = `/orgs/${org}/teams/${team.id}`;
  const pages = [
    { name: text.board.title, path: "", icon: "board" },
    { name: text.cards.title, path: "/cards", icon: "table" },
    { name: text.backlog.title, path: "/backlog", icon: "backlog" },
    { name: text.sprints.title, path: "/sprints", icon: "sprint" },
    { name: text.reports.title, path: "/reports", icon: "chart" },
    { name: text.teams.members, path: "/members", icon: "people" },
  ];
  return navigation([
    ...pages.map(({ name, path, icon }) => ({ name, href: root + path, icon, here: path === here })),
    ...projects.map((one) => ({ name: one.name, href: `/projects/${one.id}`, icon: "files" })),
  ]);
}

/** The boards that plan a project's cards, or the way to one. @param {any} project */
async function boardsOf(project) {
  const way = [{ name: text.frame.boards, href: "/boards", icon: "board" }];
  const organizations = await all("/orgs", "organizations");
  if (!organizations.some((one) => one.id === project.ownerId)) return way;
  const teams = await all(`/orgs/${project.ownerId}/teams`, "teams").catch(() => []);
  const linked = await Promise.all(teams.slice(0, 20).map((team) =>
    all(`/orgs/${project.ownerId}/teams/${team.id}/projects`, "projects")
      .then((projects) => projects.some((one) => one.id === project.id), () => false)));
  const boards = teams.filter((_, at) => linked[at]).map((team) =>
    ({ name: team.name, href: `/orgs/${project.ownerId}/teams/${team.id}`, icon: "board" }));
  return boards.length > 0 ? boards : way;
}
