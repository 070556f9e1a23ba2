// The first steps of a person in a new project: which are done. They are kept in the tab.

import { all, get, newKey, post, put } from "./client.js";
import { caller } from "./people.js";
import { text } from "../text.js";

/** @typedef {{ project: string, file: boolean, commit: boolean, board: string }} Steps */

const KEY = "first-steps";

/** @returns {Steps | null} */
export function steps() {
  const kept = sessionStorage.getItem(KEY);
  return kept ? JSON.parse(kept) : null;
}

/** @param {Steps} now */
function keep(now) {
  sessionStorage.setItem(KEY, JSON.stringify(now));
}

/** Begins the steps with a new project. @param {string} project @param {boolean} file */
export function beginSteps(project, file) {
  keep({ project, file, commit: false, board: "" });
}

/** Ends the steps. */
export function endSteps() {
  sessionStorage.removeItem(KEY);
}

/** Reads which steps are done. @returns {Promise<Steps | null>} */
export async function lookAtSteps() {
  const known = steps();
  if (!known) return null;
  if (!known.file) {
    const { tree } = await get(`/projects/${known.project}/tree`);
    known.file = tree.some((/** @type {any} */ node) => node.file);
  }
  keep(known);
  return known;
}

/**
 * The organization that a board would move the project into, as its id and name; without an id it is made then. `null`
 * where the project is an organization's already.
 * @param {string} project @returns {Promise<{ id?: string, name: string } | null>}
 */
export async function newOwner(project) {
  const [{ project: known }, organizations, user] = await Promise.all([get(`/projects/${project}`), all("/orgs", "organizations"), caller()]);
  if (organizations.some((one) => one.id === known.ownerId)) return null;
  return organizations.find((one) => one.role === "owner") ?? { name: text.begin.organization(user.name) };
}

/**
 * Makes a board with three columns and a first card for the project. A board belongs to an organization; a person's own
 * project moves into `owner`, which is made if it has no id. Returns the board's path.
 * @param {string} project @param {{ id?: string, name: string } | null} owner
 */
export async function makeFirstBoard(project, owner) {
  const { project: known } = await get(`/projects/${project}`);
  let org = known.ownerId;
  if (owner) {
    org = owner.id ?? (await post("/orgs", { name: owner.name }, { key: newKey() })).organization.id;
    await post(`/projects/${project}/transfer`, { ownerId: org });
  }
  const { team } = await post(`/orgs/${org}/teams`, { name: known.name });
  const place = `/orgs/${org}/teams/${team.id}`;
  await put(`${place}/projects/${project}`, {});
  const states = ["not_started", "started", "closed"];
  let first = "";
  for (const [at, name] of text.board.columns.entries()) {
    const { status } = await post(`${place}/statuses`, { name, transitionState: states[at],
      closeMode: at === 2 ? "automatic" : "off" });
    first ||= status.id;
  }
  const { card } = await post(`/projects/${project}/cards`, { name: text.begin.card });
  await put(`${place}/cards/${card.id}`, { statusId: first });
  const now = steps();
  if (now) keep({ ...now, board: place });
  return place;
}
