// The breadcrumbs of a page: its owner, and its project or team. Each has a menu of the others.

import { all, get } from "../api/client.js";
import { open } from "../router.js";
import { text } from "../text.js";
import { menu } from "./menu.js";

/** @typedef {import("../router.js").Crumb} Crumb @typedef {import("./menu.js").Entry} Entry */

const PROJECTS = 20;
/** Entries from which on a menu has a field to find one. */
const MANY = 8;

/** @param {string} name @param {string} href @param {boolean} [checked] @returns {Entry} */
const entry = (name, href, checked) => ({ name, checked, run: () => open(href) });

/** @param {string} id @param {string} name */
export function organizationCrumb(id, name) {
  return { name, href: `/orgs/${id}`, menu: (/** @type {Element} */ anchor) => pickOwner(anchor, id) };
}

/**
 * The owner of a project or of a team: an organization of the caller, the caller, or somebody who shares a project.
 * @param {{ id: string, slug: string }} owner @param {any[]} organizations @param {import("../api/people.js").Caller} user
 * @returns {Crumb}
 */
export function ownerCrumb({ id, slug }, organizations, user) {
  const organization = organizations.find((one) => one.id === id);
  if (organization) return organizationCrumb(id, organization.name);
  return { name: user.id === id ? user.name : slug, href: "/projects", menu: (anchor) => pickOwner(anchor, id) };
}

/** @param {any} project @returns {Crumb} */
export function projectCrumb(project) {
  const find = async (/** @type {string} */ query) => {
    const { projects } = await get(`/projects?limit=${PROJECTS}&q=${encodeURIComponent(query)}`);
    return projects.map((/** @type {any} */ one) => entry(one.name, `/projects/${one.id}`, one.id === project.id));
  };
  return { name: project.name, href: `/projects/${project.id}`, async menu(anchor) {
    menu(anchor, { label: text.frame.projects, find: text.projects.search, empty: text.projects.none, entries: await find(""), search: find });
  } };
}

/** @param {any} team @returns {Crumb} */
export function teamCrumb(team) {
  const root = `/orgs/${team.organization_id}/teams`;
  return { name: team.name, href: `${root}/${team.id}`, async menu(anchor) {
    const entries = (await all(root, "teams")).map((one) => entry(one.name, `${root}/${one.id}`, one.id === team.id));
    menu(anchor, { label: text.frame.teams, find: entries.length > MANY ? text.frame.findTeam : undefined, entries });
  } };
}

/** Chooses among all projects, all boards and the caller's organizations. @param {Element} anchor @param {string} id that of the present owner */
async function pickOwner(anchor, id) {
  const organizations = await all("/orgs", "organizations");
  const entries = [entry(text.frame.allProjects, "/projects"), entry(text.frame.allBoards, "/boards"),
    entry(text.organizations.title, "/orgs"),
    ...organizations.map((one) => entry(one.name, `/orgs/${one.id}`, one.id === id))];
  menu(anchor, { label: text.frame.owners, find: entries.length > MANY ? text.frame.findOwner : undefined, entries });
}
