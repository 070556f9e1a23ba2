// What stands around the pages of a project and of a team: their breadcrumbs, and the navigation beside them.

import { all } from "../api/client.js";
import { caller } from "../api/people.js";
import { text } from "../text.js";
import { ownerCrumb, projectCrumb, teamCrumb } from "./crumbs.js";
import { navigation } from "./navigation.js";

/**
 * The breadcrumbs of a project's page, the other pages, and the boards that plan its cards. `here` is the page's path below
 * that of the project, `below` what its breadcrumbs end with.
 * @param {any} project @param {string} here @param {...import("../router.js").Crumb} below
 */
export async function projectPlaces(project, here, ...below) {
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
  const [organizations, user] = await Promise.all([all("/orgs", "organizations"), caller()]);
  return {
    crumbs: [ownerCrumb({ id: project.ownerId, slug: project.ownerSlug }, organizations, user), projectCrumb(project), ...below],
    navigation: navigation([
      ...pages.map(({ name, path, icon }) => ({ name, href: root + path, icon, here: path === here })),
      ...(await boardsOf(project, organizations)),
    ]),
  };
}

/**
 * The breadcrumbs of a team's page, the other pages, and the projects whose cards it plans. `here` is the page's path below
 * that of the team, `below` what its breadcrumbs end with.
 * @param {import("./team.js").OpenedTeam} opened @param {string} here @param {...import("../router.js").Crumb} below
 */
export function teamPlaces({ path: root, team, projects, organizations, user }, here, ...below) {
  const pages = [
    { name: text.board.title, path: "", icon: "board" },
    { name: text.cards.title, path: "/cards", icon: "table" },
    { name: text.backlog.title, path: "/backlog", icon: "backlog" },
    { name: text.sprints.title, path: "/sprints", icon: "sprint" },
    { name: text.reports.title, path: "/reports", icon: "chart" },
    { name: text.teams.members, path: "/members", icon: "people" },
  ];
  return {
    crumbs: [ownerCrumb({ id: team.organization_id, slug: text.organizations.title }, organizations, user), teamCrumb(team), ...below],
    navigation: navigation([
      ...pages.map(({ name, path, icon }) => ({ name, href: root + path, icon, here: path === here })),
      ...projects.map((one) => ({ name: one.name, href: `/projects/${one.id}`, icon: "files" })),
    ]),
  };
}

/** The boards that plan a project's cards, or the way to one. @param {any} project @param {any[]} organizations */
async function boardsOf(project, organizations) {
  const way = [{ name: text.frame.boards, href: "/boards", icon: "board" }];
  if (!organizations.some((one) => one.id === project.ownerId)) return way;
  const teams = await all(`/orgs/${project.ownerId}/teams`, "teams").catch(() => []);
  const linked = await Promise.all(teams.slice(0, 20).map((team) =>
    all(`/orgs/${project.ownerId}/teams/${team.id}/projects`, "projects")
      .then((projects) => projects.some((one) => one.id === project.id), () => false)));
  const boards = teams.filter((_, at) => linked[at]).map((team) =>
    ({ name: team.name, href: `/orgs/${project.ownerId}/teams/${team.id}`, icon: "board" }));
  return boards.length > 0 ? boards : way;
}
