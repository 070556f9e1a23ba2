// Places that the palette finds: projects and boards by name, cards by the service's search.

import { all, get } from "../api/client.js";
import { text } from "../text.js";

/** @typedef {import("./recent.js").Place} Place */

/** Projects whose cards are searched: those of the board or project that is open, then others by their last change. */
const PROJECTS = 12;
const CARDS_OF_EACH = 5;

/** @type {Promise<any[]> | null} */
let boardsKnown = null;

/** Asks for boards again at the next search. */
export function forgetPlaces() {
  boardsKnown = null;
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
  const { projects } = await get(`/projects?limit=${PROJECTS}`);
  const [, kind, one, , team] = /^\/(projects|orgs)\/([^/]+)(\/teams\/([^/]+))?/.exec(location.pathname) ?? [];
  const near = kind === "projects" ? [await get(`/projects/${one}`).then(({ project }) => project, () => null)]
    : team ? await all(`/orgs/${one}/teams/${team}/projects`, "projects").catch(() => []) : [];
  const searched = new Map([...near, ...projects].filter(Boolean).map((project) => [project.id, project]));
  const pages = await Promise.all([...searched.values()].slice(0, PROJECTS).map((project) =>
    get(`/projects/${project.id}/cards?limit=${CARDS_OF_EACH}&sort=updated&q=${encodeURIComponent(query)}`)
      .then(({ indexCards }) => indexCards.map((/** @type {any} */ card) => ({ card, project })), () => [])));
  return pages.flat().map(({ card, project }) => {
    const board = teams.find((one) => card.team_ids.includes(one.id) && one.id === team)
      ?? teams.find((one) => card.team_ids.includes(one.id));
    return { name: card.name, where: project.name, icon: card.is_open ? "page" : "check",
      href: board ? `/orgs/${board.organization_id}/teams/${board.id}?card=${card.id}` : `/projects/${project.id}/cards/${card.id}` };
  });
}
