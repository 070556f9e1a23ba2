// The first steps of a person in a new project: which are done. They are kept in the tab.

import { all, get, newKey, post, put } from "./client.js";
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
 * Makes a board with three columns and a first card for the project. A board belongs to an organization; a person's own
 * project moves into theirs, which is made if there is none. Returns the board's path, and the organization's name if the
 * project has moved.
 * @param {string} project
 */
export async function makeFirstBoard(project) {
  const [{ project: known }, organizations, { user }] =
    await Promise.all([get(`/projects/${project}`), all("/orgs", "organizations"), get("/me")]);
  let org = organizations.find((one) => one.id === known.ownerId)?.id;
  let owner = "";
  if (!org) {
    const own = organizations.find((one) => one.role === "owner")
      ?? (await post("/orgs", { name: text.begin.organization(user.name) }, { key: newKey() })).organization;
    [org, owner] = [own.id, own.name];
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
  return { place, owner };
}
