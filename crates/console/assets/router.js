// Addresses: which module shows which path, and moving between them without loading the page again.

import { ahead } from "./api/client.js";
import { isSignedIn } from "./api/session.js";

/**
 * @typedef {Record<string, string>} Parameters
 * @typedef {{ title: string, navigation?: Node | null, crumbs?: Crumb[], content: Node, close?: () => void,
 *   go?: (search: URLSearchParams) => boolean | void }} View `go` shows other parameters of the same path; it answers false
 *   where the page has to be opened again for them
 * @typedef {{ name: string, href?: string, menu?: (anchor: Element) => Promise<void> }} Crumb `menu` chooses another one
 * @typedef {(parameters: Parameters, search: URLSearchParams) => Promise<View>} Opener
 * @typedef {{ show: (view: View) => void, wait: () => () => void, fail: (error: unknown) => void }} Frame
 */

/**
 * The paths of pages and their modules, and what the largest page reads while its module loads.
 * @type {[RegExp, () => Promise<Opener>, ((parameters: Parameters) => string[])?][]}
 */
const routes = [
  [/^\/sign-in$/, async () => (await import("./modules/sign-in/sign-in.js")).openSignIn],
  [/^\/(?:projects)?$/, async () => (await import("./modules/projects/projects.js")).openProjects],
  [/^\/projects\/(?<project>[0-9a-f-]+)$/, async () => (await import("./modules/files/files.js")).openFiles],
  [/^\/projects\/(?<project>[0-9a-f-]+)\/cards\/(?<card>[0-9a-f-]+)$/,
    async () => (await import("./modules/board/page.js")).openCard],
  [/^\/projects\/(?<project>[0-9a-f-]+)\/history$/, async () => (await import("./modules/history/history.js")).openHistory],
  [/^\/projects\/(?<project>[0-9a-f-]+)\/commits\/(?<hash>[0-9a-f]+)$/,
    async () => (await import("./modules/history/commit.js")).openCommit],
  [/^\/projects\/(?<project>[0-9a-f-]+)\/changes$/, async () => (await import("./modules/history/changes.js")).openChanges],
  [/^\/projects\/(?<project>[0-9a-f-]+)\/branches$/, async () => (await import("./modules/branches/branches.js")).openBranches],
  [/^\/projects\/(?<project>[0-9a-f-]+)\/compare$/, async () => (await import("./modules/branches/compare.js")).openCompare],
  [/^\/projects\/(?<project>[0-9a-f-]+)\/merge$/, async () => (await import("./modules/branches/merge.js")).openMerge],
  [/^\/projects\/(?<project>[0-9a-f-]+)\/packages$/, async () => (await import("./modules/packages/packages.js")).openPackages],
  [/^\/orgs\/(?<org>[0-9a-f-]+)\/teams\/(?<team>[0-9a-f-]+)$/,
    async () => (await import("./modules/board/board.js")).openBoard,
    ({ org, team }) => [`/orgs/${org}/teams/${team}/board`, `/orgs/${org}/teams/${team}`,
      `/orgs/${org}/teams/${team}/projects?limit=100`, "/orgs?limit=100"]],
  [/^\/projects\/(?<project>[0-9a-f-]+)\/sessions$/,
    async () => (await import("./modules/sessions/sessions.js")).openSessions],
  [/^\/projects\/(?<project>[0-9a-f-]+)\/sessions\/(?<session>[0-9a-f-]+)$/,
    async () => (await import("./modules/sessions/session.js")).openSession],
  [/^\/projects\/(?<project>[0-9a-f-]+)\/sessions\/(?<session>[0-9a-f-]+)\/executions$/,
    async () => (await import("./modules/executions/executions.js")).openExecutions],
  [/^\/orgs\/(?<org>[0-9a-f-]+)\/teams\/(?<team>[0-9a-f-]+)\/sprints$/,
    async () => (await import("./modules/sprints/sprints.js")).openSprints],
  [/^\/orgs\/(?<org>[0-9a-f-]+)\/teams\/(?<team>[0-9a-f-]+)\/sprints\/(?<sprint>[0-9a-f-]+)$/,
    async () => (await import("./modules/sprints/sprint.js")).openSprint],
  [/^\/orgs\/(?<org>[0-9a-f-]+)\/teams\/(?<team>[0-9a-f-]+)\/backlog$/,
    async () => (await import("./modules/sprints/backlog.js")).openBacklog],
  [/^\/orgs\/(?<org>[0-9a-f-]+)\/teams\/(?<team>[0-9a-f-]+)\/reports$/,
    async () => (await import("./modules/sprints/reports.js")).openReports],
  [/^\/orgs\/(?<org>[0-9a-f-]+)\/teams\/(?<team>[0-9a-f-]+)\/cards$/,
    async () => (await import("./modules/cards/cards.js")).openCards],
  [/^\/boards$/, async () => (await import("./modules/board/boards.js")).openBoards],
  [/^\/account$/, async () => (await import("./modules/account/account.js")).openAccount],
  [/^\/account\/keys$/, async () => (await import("./modules/keys/keys.js")).openOwnKeys],
  [/^\/account\/usage$/, async () => (await import("./modules/usage/usage.js")).openAccountUsage],
  [/^\/invitations$/, async () => (await import("./modules/organizations/invite.js")).openInvitation],
  [/^\/orgs$/, async () => (await import("./modules/organizations/organizations.js")).openOrganizations],
  [/^\/orgs\/(?<org>[0-9a-f-]+)$/, async () => (await import("./modules/organizations/members.js")).openMembers],
  [/^\/orgs\/(?<org>[0-9a-f-]+)\/teams$/, async () => (await import("./modules/organizations/teams.js")).openTeams],
  [/^\/orgs\/(?<org>[0-9a-f-]+)\/teams\/(?<team>[0-9a-f-]+)\/members$/,
    async () => (await import("./modules/organizations/teams.js")).openTeamMembers],
  [/^\/orgs\/(?<org>[0-9a-f-]+)\/keys$/, async () => (await import("./modules/keys/keys.js")).openServiceAccounts],
  [/^\/orgs\/(?<org>[0-9a-f-]+)\/usage$/, async () => (await import("./modules/usage/usage.js")).openOrganizationUsage],
  [/^\/orgs\/(?<org>[0-9a-f-]+)\/settings$/,
    async () => (await import("./modules/organizations/settings.js")).openOrganizationSettings],
  [/^\/projects\/(?<project>[0-9a-f-]+)\/settings$/, async () => (await import("./modules/settings/settings.js")).openSettings],
  [/^\/projects\/(?<project>[0-9a-f-]+)\/usage$/, async () => (await import("./modules/usage/usage.js")).openProjectUsage],
];

/** Any other address. */
const noPage = async () => (await import("./modules/frame/no-page.js")).openNoPage;

/** @type {Frame} */
let frame;
/** @type {View | null} */
let shown = null;
let shownPath = "";
let turn = 0;

/**
 * Shows the present address in `into`, and follows links from now on.
 * @param {Frame} into @param {string} notice
 */
export function start(into, notice) {
  frame = into;
  addEventListener("popstate", () => void show(""));
  document.addEventListener("click", (event) => {
    const link = event.target instanceof Element ? event.target.closest("a") : null;
    if (!link || event.defaultPrevented || event.button !== 0 || link.target || link.download) return;
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    if (link.origin !== location.origin || !hasPage(link.pathname)) return;
    event.preventDefault();
    if (link.hash && link.pathname === location.pathname) location.hash = link.hash;
    else open(link.pathname + link.search);
  });
  void show(notice);
}

/**
 * Goes to a path of the console; done once it is shown.
 * @param {string} path @param {{ replace?: boolean }} options
 */
export function open(path, { replace = false } = {}) {
  if (replace) history.replaceState(null, "", path);
  else history.pushState(null, "", path);
  return show("");
}

/** True if the console has a page at `path`. @param {string} path */
export function hasPage(path) {
  return routes.some(([pattern]) => pattern.test(path));
}

/**
 * Sets a parameter of the address without opening anything. With `push` the way back leads to the address as it was.
 * @param {string} name @param {string | null} value @param {{ push?: boolean }} options
 */
export function remember(name, value, { push = false } = {}) {
  const url = new URL(location.href);
  if (value) url.searchParams.set(name, value);
  else url.searchParams.delete(name);
  if (url.href === location.href) return;
  if (push) history.pushState({ isStep: true }, "", url);
  else history.replaceState(history.state, "", url);
}

/** Takes back a step that `remember` made, or else removes the parameter. @param {string} name */
export function stepBack(name) {
  if (history.state?.isStep) return history.back();
  remember(name, null);
  return show("");
}

/** @param {string} notice */
async function show(notice) {
  const own = ++turn;
  const search = new URLSearchParams(location.search);
  if (shown?.go && shownPath === location.pathname && isSignedIn() && shown.go(search) !== false) return;
  if (notice) search.set("notice", notice);
  const path = isSignedIn() || !hasPage(location.pathname) ? location.pathname : "/sign-in";
  const found = routes.map(([pattern, module, reads]) => ({ match: pattern.exec(path), module, reads })).find((one) => one.match);
  const done = frame.wait();
  ahead(found?.reads?.(found.match?.groups ?? {}) ?? []);
  try {
    const opener = await (found?.module ?? noPage)();
    const view = await opener(found?.match?.groups ?? {}, search);
    if (own !== turn) return view.close?.();
    shown?.close?.();
    [shown, shownPath] = [view, path];
    frame.show(view);
  } catch (error) {
    if (own !== turn) return;
    shown?.close?.();
    shown = null;
    frame.fail(error);
  } finally {
    done();
  }
}
