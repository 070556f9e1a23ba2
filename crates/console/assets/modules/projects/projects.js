// The list of projects with search, and boards beside it.

import { all, get, newKey, post, put } from "../../api/client.js";
import { open, remember } from "../../router.js";
import { text } from "../../text.js";
import { ask, field } from "../../ui/dialog.js";
import { button, fill, h, icon, moment } from "../../ui/dom.js";
import { begin } from "./begin.js";

const SEARCH_MS = 150;

/** @type {import("../../router.js").Opener} */
export async function openProjects(_, search) {
  const [organizations, first] = await Promise.all([all("/orgs", "organizations"), page(search.get("q") ?? "", "")]);
  const teams = await teamsOf(organizations);
  if (!search.get("q") && first.projects.length === 0) {
    return { title: text.projects.title, crumbs: [{ name: text.projects.title }],
      content: h("div", {}, begin(organizations, choice(text.projects.owner, "owner", owners(organizations))),
        teams.length > 0 ? h("div", { class: "page" }, boards(organizations, teams)) : null) };
  }
  const list = h("ul", { class: "rows" });
  const more = button({ name: text.projects.more, onclick: () => void show(query, next) });
  const empty = h("div", { class: "empty", hidden: true });
  let [query, next, turn] = [search.get("q") ?? "", "", 0];

  /** @param {any} found @param {boolean} fresh */
  function add(found, fresh) {
    if (fresh) fill(list);
    list.append(...found.projects.map(row));
    next = found.meta.nextCursor ?? "";
    more.hidden = !found.meta.hasMore;
    empty.hidden = list.childElementCount > 0;
    fill(empty, query ? h("p", {}, text.projects.none) : [h("p", {}, text.projects.empty),
      button({ name: text.projects.create, icon: "plus", kind: "primary", onclick: () => create(organizations) })]);
  }
  /** @param {string} wanted @param {string} cursor */
  async function show(wanted, cursor) {
    const own = ++turn;
    const found = await page(wanted, cursor);
    if (own !== turn) return;
    query = wanted;
    remember("q", wanted || null);
    add(found, !cursor);
  }
  add(first, true);

  let timer = 0;
  const input = h("input", { type: "search", value: query, "aria-label": text.projects.search,
    placeholder: text.projects.search, oninput: () => {
      clearTimeout(timer);
      timer = window.setTimeout(() => void show(input.value.trim(), ""), SEARCH_MS);
    } });
  return {
    title: text.projects.title,
    crumbs: [{ name: text.projects.title }],
    content: h("div", { class: "page" },
      h("div", { class: "heading" }, h("h1", {}, text.projects.title),
        h("label", { class: "search" }, icon("search"), input),
        button({ name: text.projects.create, icon: "plus", kind: "primary", onclick: () => create(organizations) })),
      list, empty, more, boards(organizations, teams)),
  };
}

/** @param {string} query @param {string} cursor */
function page(query, cursor) {
  const search = new URLSearchParams({ limit: "50" });
  if (query) search.set("q", query);
  if (cursor) search.set("cursor", cursor);
  return get(`/projects?${search}`);
}

/** @param {any} project */
function row(project) {
  return h("li", {}, h("a", { class: "row", href: `/projects/${project.id}` },
    icon("files"), h("span", { class: "name", dir: "auto" }, project.name),
    h("span", { class: "soft", dir: "auto" }, project.ownerSlug),
    h("span", { class: "soft" }, /** @type {Record<string, string>} */ (text.projects.visibility)[project.visibility]),
    h("span", { class: "soft" }, moment(project.updatedAt))));
}

/** @param {any[]} organizations @returns {Promise<any[]>} */
async function teamsOf(organizations) {
  const teams = await Promise.all(organizations.map(({ id }) => all(`/orgs/${id}/teams`, "teams").catch(() => [])));
  return teams.flat();
}

/** @param {any[]} organizations @param {any[]} teams */
function boards(organizations, teams) {
  if (organizations.length === 0) return null;
  return h("section", { "aria-labelledby": "boards" },
    h("div", { class: "heading" }, h("h2", { id: "boards" }, text.frame.boards),
      button({ name: text.board.newTeam, icon: "plus", onclick: () => void createBoard(organizations) })),
    teams.length === 0 ? h("p", { class: "soft" }, text.board.emptyList) : null,
    h("ul", { class: "rows" }, teams.map((team) => h("li", {},
      h("a", { class: "row", href: `/orgs/${team.organization_id}/teams/${team.id}` }, icon("board"),
        h("span", { class: "name", dir: "auto" }, team.name))))));
}

/** @param {string} label @param {string} name @param {[string, string][]} options */
function choice(label, name, options) {
  return h("div", { class: "field" }, h("label", { for: `field-${name}` }, label),
    h("select", { id: `field-${name}`, name }, options.map(([value, said]) => h("option", { value }, said))));
}

/** @param {any[]} organizations @returns {[string, string][]} */
function owners(organizations) {
  return [["", text.projects.self], ...organizations.map(({ id, name }) => /** @type {[string, string]} */ ([id, name]))];
}

/** @param {any[]} organizations */
function create(organizations) {
  const key = newKey();
  ask({
    title: text.projects.create,
    action: text.projects.makes,
    fields: [field({ label: text.projects.name, name: "name", required: true }),
      choice(text.projects.owner, "owner", owners(organizations))],
    async send(form) {
      const orgId = String(form.get("owner")) || undefined;
      const made = await post("/projects", { name: form.get("name"), orgId }, { key });
      open(`/projects/${made.id}`);
    },
  });
}

/** @param {any[]} organizations */
async function createBoard(organizations) {
  const key = newKey();
  const projects = (await page("", "")).projects.filter((/** @type {any} */ project) =>
    organizations.some(({ id }) => id === project.ownerId));
  ask({
    title: text.board.newTeam,
    action: text.board.makesTeam,
    fields: [field({ label: text.board.teamName, name: "name", required: true }),
      choice(text.board.organization, "org", organizations.map(({ id, name }) => [id, name])),
      choice(text.board.linked, "project", [["", "–"], ...projects.map((/** @type {any} */ one) => [one.id, one.name])])],
    async send(form) {
      const org = String(form.get("org"));
      const { team } = await post(`/orgs/${org}/teams`, { name: form.get("name") }, { key });
      const project = String(form.get("project"));
      if (project) await put(`/orgs/${org}/teams/${team.id}/projects/${project}`, {});
      open(`/orgs/${org}/teams/${team.id}`);
    },
  });
}
