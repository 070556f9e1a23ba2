// The addresses of pages, and the module of each. Nothing but `main` imports this.

import type { ComponentType } from "preact";
import type { PageProps } from "./pages/parts/page-props";

type PageModule = Promise<{ default: ComponentType<PageProps> }>;

interface Route {
  pattern: RegExp;
  load: () => PageModule;
  /** Requests to send while the module loads, by the parts of the path. */
  ahead?: (parameters: Record<string, string>) => string[];
}

const ID = "[0-9a-f-]+";
/** A card is named by its key, too. */
const CARD = `${ID}|[A-Za-z]{2,6}-[1-9][0-9]*`;
const groupOf = (_: string, name: string) => `(?<${name}>${name === "card" ? CARD : ID})`;

/** A path with parts named in braces: `/projects/{project}`. */
function route(path: string, load: () => PageModule, ahead?: Route["ahead"]): Route {
  const pattern = new RegExp(`^${path.replace(/\{(\w+)\}/g, groupOf)}$`);
  return { pattern, load, ...(ahead ? { ahead } : {}) };
}

const TEAM = "/orgs/{org}/teams/{team}";
const boardAhead: Route["ahead"] = ({ org, team }) => {
  const place = `/api/v2/orgs/${org}/teams/${team}`;
  return [`${place}/board`, place, `${place}/projects?limit=100`, "/api/v2/orgs?limit=100"];
};

/** The requests that a project's page sends first; the pages of files and of the bill the tree, too. */
const projectAhead = (below: string): Route["ahead"] => ({ project }) => {
  const place = `/api/v2/projects/${project}`;
  return [place, `${place}/branches?limit=100`, "/api/v2/orgs?limit=100", ...(below ? [] : [`${place}/tree`])];
};

const routes: Route[] = [
  route("/sign-in", () => import("./pages/people/sign-in/sign-in")),
  route("/(?:projects)?", () => import("./pages/home/home")),
  route("/boards", () => import("./pages/planning/boards/boards")),
  route(TEAM, () => import("./pages/planning/board/board"), boardAhead),
  route(`${TEAM}/cards`, () => import("./pages/planning/cards/cards"), boardAhead),
  route(`${TEAM}/backlog`, () => import("./pages/planning/backlog/backlog")),
  route(`${TEAM}/sprints`, () => import("./pages/planning/sprints/sprints")),
  route(`${TEAM}/sprints/{sprint}`, () => import("./pages/planning/sprint/sprint")),
  route(`${TEAM}/reports`, () => import("./pages/planning/reports/reports")),
  route(`${TEAM}/members`, () => import("./pages/planning/team-members/team-members")),
  route("/projects/{project}", () => import("./pages/content/files/files"), projectAhead("")),
  route("/projects/{project}/bom", () => import("./pages/content/bom/bom"), projectAhead("")),
  route("/projects/{project}/cards/import", () => import("./pages/planning/import/import"), projectAhead("/cards")),
  route("/projects/{project}/cards/{card}", () => import("./pages/planning/card/card")),
  route("/projects/{project}/history", () => import("./pages/content/history/history"), projectAhead("/history")),
  route("/projects/{project}/commits/{hash}", () => import("./pages/content/commit/commit"), projectAhead("/commits")),
  route("/projects/{project}/changes", () => import("./pages/content/changes/changes"), projectAhead("/changes")),
  route("/projects/{project}/branches", () => import("./pages/content/branches/branches"), projectAhead("/branches")),
  route("/projects/{project}/compare", () => import("./pages/content/compare/compare"), projectAhead("/compare")),
  route("/projects/{project}/merge", () => import("./pages/content/merge/merge"), projectAhead("/merge")),
  route("/projects/{project}/packages", () => import("./pages/content/packages/packages"), projectAhead("/packages")),
  route("/projects/{project}/sessions", () => import("./pages/work/sessions/sessions")),
  route("/projects/{project}/sessions/{session}", () => import("./pages/work/session/session")),
  route("/projects/{project}/sessions/{session}/executions", () => import("./pages/work/executions/executions")),
  route("/projects/{project}/settings", () => import("./pages/content/project-settings/project-settings"),
    projectAhead("/")),
  route("/projects/{project}/usage", () => import("./pages/work/usage/project")),
  route("/views", () => import("./pages/planning/views/views")),
  route("/views/{view}", () => import("./pages/planning/view/view")),
  route("/account", () => import("./pages/people/account/account")),
  route("/account/keys", () => import("./pages/people/keys/keys")),
  route("/account/calendars", () => import("./pages/people/calendars/calendars")),
  route("/account/usage", () => import("./pages/work/usage/account")),
  route("/invitations", () => import("./pages/people/invitation/invitation")),
  route("/orgs", () => import("./pages/people/organizations/organizations")),
  route("/orgs/{org}", () => import("./pages/people/members/members")),
  route("/orgs/{org}/teams", () => import("./pages/planning/teams/teams")),
  route("/orgs/{org}/keys", () => import("./pages/people/service-accounts/service-accounts")),
  route("/orgs/{org}/usage", () => import("./pages/work/usage/organization")),
  route("/orgs/{org}/settings", () => import("./pages/people/organization-settings/organization-settings")),
];

export interface FoundPage {
  load: () => PageModule;
  parameters: Record<string, string>;
  ahead: string[];
}

/** The page of a path. Each unknown one is that which says so. */
export function pageOf(path: string): FoundPage {
  for (const { pattern, load, ahead } of routes) {
    const match = pattern.exec(path);
    if (!match) continue;
    const parameters = { ...match.groups };
    return { load, parameters, ahead: ahead?.(parameters) ?? [] };
  }
  return { load: () => import("./pages/no-page/no-page"), parameters: {}, ahead: [] };
}

export const hasPage = (path: string) => routes.some(({ pattern }) => pattern.test(path));
