// Names of people by their ids, for pages that show who did something.

import { all } from "./client.js";

/** @typedef {Map<string, string>} Names */

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
