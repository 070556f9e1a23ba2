// Places that the palette finds: projects and boards by name, cards by the service's search.

import { all, get } from "../api/client.js";
import { text } from "../text.js";

/** @typedef {import("./recent.js").Place} Place */

/** The cards that changed last, of those that are found. */
const CARDS = 20;

/** The names of projects, until the palette opens again. @type {Map<string, Promise<string>>} */
const names = new Map();
/** @type {Promise<any[]> | null} */
let boardsKnown = null;

/** Asks for boards and names of projects again at the next search. */
export function forgetPlaces() {
  boardsKnown = null;
  names.clear();
}

function boards() {
  boardsKnown ??= (async () => {
    const organizations = await all("/orgs", "organizations");
    const teams = await Promise.all(organizations.map(({ id }) => all(`/orgs/${id}/teams`, "teams").catch(() => [])));
    return teams.flat();
  })();
  boardsKnown.catch(forgetPlaces);
  return boardsKnown;
}

/** @param {string} query @param {{ cards: boolean }} options @returns {Promise<Place[]>} */
export async function findPlaces(query, { cards }) {
  const folded = query.toLocaleLowerCase();
  const [teams, { projects: named }] = await Promise.all([boards(), get(`/projects?limit=20&q=${encodeURIComponent(query)}`)]);
  /** @type {Place[]} */
  const found = [
    ...teams.filter((team) => team.name.toLocaleLowerCase().includes(folded)).slice(0, 20).map((team) =>
      ({ name: team.name, href: `/orgs/${team.organization_id}/teams/${team.id}`, where: text.board.title, icon: "board" })),
    ...named.map((/** @type {any} */ project) =>
      ({ name: project.name, href: `/projects/${project.id}`, where: text.files.title, icon: "files" })),
  ];
  return cards && query ? [...found, ...(await findCards(query, teams))] : found;
}

/** @param {string} query @param {any[]} teams @returns {Promise<Place[]>} */
async function findCards(query, teams) {
  const [, near] = /^\/orgs\/[^/]+\/teams\/([^/]+)/.exec(location.pathname) ?? [];
  const { indexCards } = await get(`/cards?limit=${CARDS}&q=${encodeURIComponent(query)}`);
  return Promise.all(indexCards.map(async (/** @type {any} */ card) => {
    const board = teams.find((one) => card.team_ids.includes(one.id) && one.id === near)
      ?? teams.find((one) => card.team_ids.includes(one.id));
    return { name: card.name, where: await projectName(card.project_id), icon: card.is_open ? "page" : "check",
      href: board ? `/orgs/${board.organization_id}/teams/${board.id}?card=${card.id}` : `/projects/${card.project_id}/cards/${card.id}` };
  }));
}

/** @param {string} id @returns {Promise<string>} */
function projectName(id) {
  const known = names.get(id) ?? get(`/projects/${id}`).then(({ project }) => project.name, () => "");
  names.set(id, known);
  return known;
}
