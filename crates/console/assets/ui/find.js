// Places that the palette finds: projects and boards by name, cards by the service's search, and objects of the projects
// that the page is about.

import { all, get } from "../api/client.js";
import { text } from "../text.js";

/** @typedef {import("./recent.js").Place} Place */

/** The cards that changed last, of those that are found. */
const CARDS = 20;
/** Objects of each project, and projects whose objects are searched: the service searches those of one at a time. */
const OBJECTS = 10;
const PROJECTS = 4;

/** The names of projects, until the palette opens again. @type {Map<string, Promise<string>>} */
const names = new Map();
/** @type {Promise<any[]> | null} */
let boardsKnown = null;
/** @type {Promise<Around[]> | null} */
let aroundKnown = null;

/** A project that the page is about. @typedef {{ id: string, branch: string | null }} Around */

/** Asks for boards, projects and their names again at the next search. */
export function forgetPlaces() {
  boardsKnown = null;
  aroundKnown = null;
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

/** @param {string} query @returns {Promise<Place[]>} */
export async function findPlaces(query) {
  const folded = query.toLocaleLowerCase();
  const [teams, { projects: named }] = await Promise.all([boards(), get(`/projects?limit=20&q=${encodeURIComponent(query)}`)]);
  /** @type {Place[]} */
  const found = [
    ...teams.filter((team) => team.name.toLocaleLowerCase().includes(folded)).slice(0, 20).map((team) =>
      ({ name: team.name, href: `/orgs/${team.organization_id}/teams/${team.id}`, where: text.board.title, icon: "board" })),
    ...named.map((/** @type {any} */ project) =>
      ({ name: project.name, href: `/projects/${project.id}`, where: text.files.title, icon: "files" })),
  ];
  if (!query) return found;
  const [cards, objects] = await Promise.all([findCards(query, teams), findObjects(query)]);
  return [...found, ...cards, ...objects];
}

/** True where the search finds objects, too. */
export function findsObjects() {
  const { project, team } = placeOfAddress();
  return Boolean(project ?? team);
}

function placeOfAddress() {
  const [, project] = /^\/projects\/([^/]+)/.exec(location.pathname) ?? [];
  const [team] = /^\/orgs\/[^/]+\/teams\/[^/]+/.exec(location.pathname) ?? [];
  return { project, team };
}

/** The project of the address, or those whose cards its team plans. @returns {Promise<Around[]>} */
function around() {
  const { project, team } = placeOfAddress();
  aroundKnown ??= project ? Promise.resolve([{ id: project, branch: new URLSearchParams(location.search).get("branch") }])
    : team ? all(`${team}/projects`, "projects").then((linked) => linked.slice(0, PROJECTS).map(({ id }) => ({ id, branch: null })))
      : Promise.resolve([]);
  return aroundKnown;
}

/** Objects by a part of their name. What can't be searched hides nothing else. @param {string} query @returns {Promise<Place[]>} */
async function findObjects(query) {
  const projects = await around().catch(() => []);
  const found = await Promise.all(projects.map(async ({ id, branch }) => {
    const place = branch ? encodeURIComponent(`${id}--${branch}`) : id;
    const [{ objects }, project] = await Promise.all([get(`/projects/${place}/objects?limit=${OBJECTS}&q=${encodeURIComponent(query)}`),
      projectName(id)]);
    return objects.map((/** @type {any} */ object) => ({ name: object.name, where: `${object.type} · ${project}`, icon: "part",
      href: `/projects/${id}?object=${object.id}${branch ? `&branch=${encodeURIComponent(branch)}` : ""}` }));
  }).map((objects) => objects.catch(() => [])));
  return found.flat();
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
