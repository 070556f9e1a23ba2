// The frame of a project's pages: breadcrumbs with menus of the others, and the navigation.

import { readProjects } from "../../api/places";
import type { ProjectRecord } from "../../api/content/projects";
import { projectHref, type OpenedProject } from "../../model/content/project";
import { text } from "../../text";
import { open } from "../../ui/address";
import type { MenuEntry } from "../../ui/menu-state";
import type { Crumb, Place } from "../../ui/place";
import { organizationCrumb } from "./team-place";

const PROJECTS = 20;

const PAGES = [
  { name: text.files.title, path: "", icon: "files" },
  { name: text.bom.title, path: "/bom", icon: "bill" },
  { name: text.versions.changes, path: "/changes", icon: "changes" },
  { name: text.versions.history, path: "/history", icon: "history" },
  { name: text.branches.title, path: "/branches", icon: "branch" },
  { name: text.packages.title, path: "/packages", icon: "package" },
  { name: text.sessions.title, path: "/sessions", icon: "agent" },
  { name: text.usage.title, path: "/usage", icon: "chart" },
  { name: text.settings.title, path: "/settings", icon: "settings" },
];
/** Pages that show one branch, and keep it. */
const BRANCHED = new Set(["", "/bom", "/changes", "/history"]);

/**
 * The place of a project's page. `here` is its path below that of the project, `below` ends the breadcrumbs; by default
 * with the title, except on the page of files.
 */
export function projectPlace(
  { project, branch, organizations, caller, teams }: OpenedProject,
  here: string,
  title: string,
  ...below: Crumb[]
): Place {
  const { ownerId, ownerSlug } = project;
  const owner = organizations.find(({ id }) => id === ownerId);
  const ownerName = owner?.name ?? (caller.id === ownerId ? caller.name : ownerSlug);
  const crumb = organizationCrumb(ownerId, ownerName);
  const boards = teams.map(({ id, name }) => ({ name, icon: "board", href: `/orgs/${ownerId}/teams/${id}` }));
  return {
    title: `${title} · ${project.name}`,
    crumbs: [owner ? crumb : { ...crumb, href: "/projects" }, projectCrumb(project), ...below,
      ...(here ? [{ name: title }] : [])],
    navigation: [
      ...PAGES.map(({ name, path, icon }) => ({ name, icon, here: path === here,
        href: projectHref(project, path, BRANCHED.has(path) ? branch : project.defaultBranch) })),
      ...(boards.length > 0 ? boards : [{ name: text.frame.boards, icon: "board", href: "/boards" }]),
    ],
  };
}

/** The breadcrumb of a project, with a menu that finds the others. */
function projectCrumb({ id, name }: ProjectRecord): Crumb {
  const find = async (q: string): Promise<MenuEntry[]> => {
    const { projects } = await readProjects({ limit: PROJECTS, ...(q ? { q } : {}) });
    return projects.map((one) => ({
      name: one.name, checked: one.id === id, run: () => open(`/projects/${one.id}`) }));
  };
  return { name, href: `/projects/${id}`, others: async () => {
    const first = await find("");
    return { label: text.frame.projects, find: text.projects.search, empty: text.projects.none,
      entries: () => first, search: find };
  } };
}
