// The frame of a team's pages: breadcrumbs with menus of the others, and the navigation.

import { readOrganizations, readTeams, type Organization } from "../../api/places";
import type { OpenedTeam } from "../../model/planning/team";
import { text } from "../../text";
import { open } from "../../ui/address";
import type { MenuEntry, MenuOptions } from "../../ui/menu-state";
import type { Crumb, Place } from "../../ui/place";

/** Entries from which on a menu has a field to find one. */
const MANY = 8;

const PAGES = [
  { name: text.board.title, path: "", icon: "board" },
  { name: text.cards.title, path: "/cards", icon: "table" },
  { name: text.backlog.title, path: "/backlog", icon: "backlog" },
  { name: text.sprints.title, path: "/sprints", icon: "sprint" },
  { name: text.reports.title, path: "/reports", icon: "chart" },
  { name: text.teams.members, path: "/members", icon: "people" },
];

/** The place of a team's page. `here` is its path below that of the team, `below` ends the breadcrumbs. */
export function teamPlace(
  { path, team, projects, organizations }: OpenedTeam,
  here: string,
  title: string,
  ...below: Crumb[]
): Place {
  const root = `/orgs/${path.orgId}/teams/${path.teamId}`;
  const owner = organizations.find(({ id }) => id === team.organization_id);
  return {
    title: `${title} · ${team.name}`,
    crumbs: [
      organizationCrumb(team.organization_id, owner?.name ?? text.organizations.title),
      teamCrumb(team, root),
      ...below,
    ],
    navigation: [
      ...PAGES.map(({ name, path: own, icon }) => ({ name, icon, href: root + own, here: own === here })),
      ...projects.map(({ id, name }) => ({ name, icon: "files", href: `/projects/${id}` })),
    ],
  };
}

/** The breadcrumb of an organization, with a menu of the caller's others. */
export function organizationCrumb(id: string, name: string): Crumb {
  return { name, href: `/orgs/${id}`, others: async () => ownersMenu(await readOrganizations(), id) };
}

function ownersMenu(organizations: readonly Organization[], id: string): MenuOptions {
  const entries = [
    entry(text.frame.allProjects, "/projects"),
    entry(text.frame.allBoards, "/boards"),
    entry(text.organizations.title, "/orgs"),
    ...organizations.map((one) => entry(one.name, `/orgs/${one.id}`, one.id === id)),
  ];
  return {
    label: text.frame.owners,
    entries: () => entries,
    ...(entries.length > MANY ? { find: text.frame.findOwner } : {}),
  };
}

function teamCrumb(team: OpenedTeam["team"], href: string): Crumb {
  return {
    name: team.name,
    href,
    others: async () => {
      const teams = await readTeams(team.organization_id);
      const entries = teams.map(({ id, name }) =>
        entry(name, `/orgs/${team.organization_id}/teams/${id}`, id === team.id),
      );
      return {
        label: text.frame.teams,
        entries: () => entries,
        ...(entries.length > MANY ? { find: text.frame.findTeam } : {}),
      };
    },
  };
}

const entry = (name: string, href: string, checked?: boolean): MenuEntry => ({
  name,
  run: () => open(href),
  ...(checked === undefined ? {} : { checked }),
});
