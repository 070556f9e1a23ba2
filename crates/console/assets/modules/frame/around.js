// What the palette offers on every page: the places and actions of the account, and of the project, team and organization
// that the page is about.

import { open } from "../../router.js";
import { text } from "../../text.js";

/** @typedef {import("../../ui/actions.js").Action} Action */

const PROJECT = /^\/projects\/[0-9a-f-]+/;
const TEAM = /^\/orgs\/[0-9a-f-]+\/teams\/[0-9a-f-]+/;
const ORGANIZATION = /^\/orgs\/[0-9a-f-]+/;

/** @param {Element} one */
const nameOf = (one) => one.getAttribute("aria-label") ?? one.textContent ?? "";

/** The button of the page with a name. @param {string} name @returns {HTMLButtonElement | undefined} */
const buttonOf = (name) => [.../** @type {NodeListOf<HTMLButtonElement>} */ (document.querySelectorAll("main button"))]
  .find((one) => nameOf(one) === name);

/** Goes to a place, and presses its button. @param {string} name @param {string} icon @param {string} path @param {string} group @returns {Action[]} */
function press(name, icon, path, group) {
  const isHere = location.pathname === path.split("?")[0];
  // A button that can't be pressed now is none.
  if (isHere && (buttonOf(name)?.disabled ?? true)) return [];
  return [{ name, icon, group, run: async () => {
    if (!isHere) await open(path);
    buttonOf(name)?.click();
  } }];
}

/** @param {string} name @param {string} icon @param {string} path @param {string} group @returns {Action} */
const go = (name, icon, path, group) => ({ name: text.palette.goTo(name), icon, group, run: () => open(path) });

/** The first address of a kind: that of the page, or of its navigation. @param {RegExp} kind @param {HTMLElement} side */
function addressOf(kind, side) {
  const links = /** @type {HTMLAnchorElement[]} */ ([...side.querySelectorAll("a")]);
  return [location.pathname, ...links.map((link) => link.pathname)].map((path) => kind.exec(path)?.[0]).find(Boolean);
}

/** @param {HTMLElement} side the page's navigation @returns {Action[]} */
export function around(side) {
  const project = addressOf(PROJECT, side);
  const team = addressOf(TEAM, side);
  const organization = addressOf(ORGANIZATION, side);
  const branch = PROJECT.test(location.pathname) ? new URLSearchParams(location.search).get("branch") : null;
  const files = `${project}${branch ? `?branch=${encodeURIComponent(branch)}` : ""}`;
  const { account, boards } = text.frame;
  return [
    ...(project ? [...press(text.files.upload, "upload", files, text.files.title), ...press(text.files.commit, "commit", files, text.files.title),
      ...press(text.files.clone, "copy", files, text.files.title),
      ...press(text.branches.create, "branch", `${project}/branches`, text.branches.title)] : []),
    ...(team ? [...press(text.sprints.create, "sprint", `${team}/sprints`, text.sprints.title),
      go(text.sprints.title, "sprint", `${team}/sprints`, boards), go(text.backlog.title, "backlog", `${team}/backlog`, boards),
      go(text.cards.title, "table", `${team}/cards`, boards), go(text.reports.title, "chart", `${team}/reports`, boards)] : []),
    ...(organization ? [...press(text.invitations.make, "person", organization, text.organizations.title),
      go(text.teams.title, "people", `${organization}/teams`, text.organizations.title)] : []),
    ...press(text.projects.create, "plus", "/projects", text.projects.title),
    ...press(text.board.newTeam, "board", "/boards", boards),
    ...press(text.organizations.create, "people", "/orgs", text.organizations.title),
    ...press(text.keys.add, "key", "/account/keys", account),
    go(text.account.title, "person", "/account", account), go(text.keys.title, "key", "/account/keys", account),
    { ...go("", "chart", "/account/usage", account), name: text.palette.ownUsage }, go(text.organizations.title, "people", "/orgs", account),
  ];
}
