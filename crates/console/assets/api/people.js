// The caller, and the names of people by their ids, for pages that show who did something.

import { all, get } from "./client.js";
import { token } from "./session.js";

/** @typedef {Map<string, string>} Names */

/** @typedef {{ id: string, name: string, email: string }} Caller */

/** The caller, and the token that names them. @type {{ token: string | undefined, user: Promise<Caller> } | null} */
let known = null;

/** The caller, read once for each token. @returns {Promise<Caller>} */
export function caller() {
  const own = token();
  if (known?.token === own && known) return known.user;
  const now = { token: own, user: get("/me").then(({ user }) => user) };
  known = now;
  // The next page asks again.
  now.user.catch(() => { if (known === now) known = null; });
  return now.user;
}

/** The members of a project; none for readers who may not list them. @param {string} project @returns {Promise<Names>} */
export const projectPeople = (project) => named(`/projects/${project}/members`);

/** The members of a team, and of its organization. @param {string} org @param {string} team @returns {Promise<Names>} */
export async function teamPeople(org, team) {
  const [members, others] = await Promise.all([named(`/orgs/${org}/teams/${team}/members`), named(`/orgs/${org}/members`)]);
  return new Map([...others, ...members]);
}

/** @param {string} path @returns {Promise<Names>} */
async function named(path) {
  const members = await all(path, "members").catch(() => []);
  return new Map(members.map((/** @type {any} */ member) => [member.userId, member.name]));
}
