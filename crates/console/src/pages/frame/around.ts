// The palette's entries on every page: places and actions of the account, and of the project, team and organization
// that the page is about. An action of another place goes there first.

import { text } from "../../text";
import { actions, buttonOf, runOnceThere, type Action } from "../../ui/actions";
import { open, path, search } from "../../ui/address";
import { place } from "../../ui/place";

const PROJECT = /^\/projects\/[0-9a-f-]+/;
const TEAM = /^\/orgs\/[0-9a-f-]+\/teams\/[0-9a-f-]+/;
const ORGANIZATION = /^\/orgs\/[0-9a-f-]+/;

/** The first address of a kind: that of the page, or of its navigation. */
function addressOf(kind: RegExp): string | undefined {
  const hrefs = [path.peek(), ...place.peek().navigation.map(({ href }) => href)];
  return hrefs.map((href) => kind.exec(href)?.[0]).find((found) => found !== undefined);
}

/** An action of a page, which opens first. On that page itself it is one that can be pressed there now. */
function elsewhere(name: string, icon: string, to: string, group: string): Action[] {
  const isHere = path.peek() === to.split("?")[0];
  if (isHere && !buttonOf(name)) return [];
  return [{ name, icon, group, run: () => {
    if (!isHere) open(to);
    runOnceThere(name);
  } }];
}

const go = (name: string, icon: string, to: string, group: string, said = text.palette.goTo(name)): Action =>
  ({ name: said, icon, group, run: () => open(to) });

function ofProject(project: string): Action[] {
  const branch = PROJECT.test(path.peek()) ? search.peek().get("branch") : null;
  const files = `${project}${branch ? `?branch=${encodeURIComponent(branch)}` : ""}`;
  const { title, upload, commit, clone } = text.files;
  return [
    ...elsewhere(upload, "upload", files, title), ...elsewhere(commit, "commit", files, title),
    ...elsewhere(clone, "copy", files, title),
    ...elsewhere(text.branches.create, "branch", `${project}/branches`, text.branches.title),
  ];
}

function ofTeam(team: string): Action[] {
  const { boards } = text.frame;
  return [
    ...elsewhere(text.sprints.create, "sprint", `${team}/sprints`, text.sprints.title),
    go(text.sprints.title, "sprint", `${team}/sprints`, boards),
    go(text.backlog.title, "backlog", `${team}/backlog`, boards),
    go(text.cards.title, "table", `${team}/cards`, boards), go(text.reports.title, "chart", `${team}/reports`, boards),
  ];
}

export function around(): Action[] {
  const [project, team, organization] = [addressOf(PROJECT), addressOf(TEAM), addressOf(ORGANIZATION)];
  const { account } = text.frame;
  const organizations = text.organizations.title;
  const known = new Set(actions().map(({ name }) => name));
  return [
    ...(project ? ofProject(project) : []),
    ...(team ? ofTeam(team) : []),
    ...(organization ? [...elsewhere(text.invitations.make, "person", organization, organizations),
      go(text.teams.title, "people", `${organization}/teams`, organizations)] : []),
    ...elsewhere(text.projects.create, "plus", "/projects", text.projects.title),
    ...elsewhere(text.board.newTeam, "board", "/boards", text.frame.boards),
    ...elsewhere(text.organizations.create, "people", "/orgs", organizations),
    ...elsewhere(text.keys.add, "key", "/account/keys", account),
    ...elsewhere(text.calendars.add, "calendar", "/account/calendars", account),
    go(text.account.title, "person", "/account", account), go(text.keys.title, "key", "/account/keys", account),
    go(text.calendars.title, "calendar", "/account/calendars", account),
    go("", "chart", "/account/usage", account, text.palette.ownUsage), go(organizations, "people", "/orgs", account),
  ].filter(({ name }) => !known.has(name));
}
