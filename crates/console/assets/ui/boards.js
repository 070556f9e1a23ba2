// Boards of all organizations as rows, and the form that makes one. A board belongs to an organization; a person without
// one gets it with their first board.

import { all, get, newKey, post, put } from "../api/client.js";
import { caller } from "../api/people.js";
import { open } from "../router.js";
import { text } from "../text.js";
import { ask, field } from "./dialog.js";
import { button, h, icon } from "./dom.js";
import { selectField } from "./select-field.js";
import { toast } from "./toast.js";

/** The teams of organizations. @param {any[]} organizations @returns {Promise<any[]>} */
export async function teamsOf(organizations) {
  const teams = await Promise.all(organizations.map(({ id }) => all(`/orgs/${id}/teams`, "teams").catch(() => [])));
  return teams.flat();
}

/** @param {any[]} teams */
export function boardRows(teams) {
  return h("ul", { class: "rows" }, teams.map((team) => h("li", {},
    h("a", { class: "row", href: `/orgs/${team.organization_id}/teams/${team.id}` }, icon("board"),
      h("span", { class: "name", dir: "auto" }, team.name)))));
}

/** The button that makes a board. @param {any[]} organizations @param {string} [kind] */
export function newBoard(organizations, kind) {
  return button({ name: text.board.newTeam, icon: "plus", kind,
    onclick: () => void askBoard(organizations.filter(mayMake)).catch((error) => toast(error.message, { bad: true })) });
}

/** @param {any} organization */
export const mayMake = (organization) => organization.role !== "guest";

/** @param {any[]} organizations those in which the caller may make teams */
async function askBoard(organizations) {
  const [{ projects }, user] = await Promise.all([get("/projects?limit=100"), caller()]);
  const owners = organizations.length > 0 ? organizations.map(({ id }) => id) : [user.id];
  const own = projects.filter((/** @type {any} */ one) => owners.includes(one.ownerId));
  const [orgKey, key] = [newKey(), newKey()];
  let moved = "";
  ask({
    title: text.board.newTeam,
    action: text.board.makesTeam,
    fields: [field({ label: text.board.teamName, name: "name", required: true }),
      organizations.length > 0 ? selectField({ label: text.board.organization, name: "org",
        options: organizations.map(({ id, name }) => [id, name]) }) : h("p", {}, text.board.ownOrganization),
      selectField({ label: text.board.linked, name: "project", help: organizations.length > 0 ? undefined : text.board.movesProject,
        options: [["", "–"], ...own.map((/** @type {any} */ one) => /** @type {[string, string]} */ ([one.id, one.name]))] })],
    async send(form) {
      const project = String(form.get("project"));
      const org = form.get("org")
        ?? (await post("/orgs", { name: text.begin.organization(user.name) }, { key: orgKey })).organization.id;
      const { team } = await post(`/orgs/${org}/teams`, { name: form.get("name") }, { key });
      if (project && organizations.length === 0 && moved !== project) {
        await post(`/projects/${project}/transfer`, { ownerId: org });
        moved = project;
      }
      if (project) await put(`/orgs/${org}/teams/${team.id}/projects/${project}`, {});
      open(`/orgs/${org}/teams/${team.id}`);
    },
  });
}
