// The list of projects with search, and boards beside it.

import { all, get, newKey, post } from "../../api/client.js";
import { open, remember } from "../../router.js";
import { text } from "../../text.js";
import { boardRows, newBoard, teamsOf } from "../../ui/boards.js";
import { ask, field } from "../../ui/dialog.js";
import { button, fill, h, icon, moment } from "../../ui/dom.js";
import { rowKeys } from "../../ui/row-keys.js";
import { begin } from "./begin.js";

const SEARCH_MS = 150;

/** @type {import("../../router.js").Opener} */
export async function openProjects(_, address) {
  const [organizations, first] = await Promise.all([all("/orgs", "organizations"), page(address.get("q") ?? "", "")]);
  const teams = await teamsOf(organizations);
  if (!address.get("q") && first.projects.length === 0) {
    return { title: text.projects.title, crumbs: [{ name: text.projects.title }],
      content: h("div", {}, begin(organizations, choice(text.projects.owner, "owner", owners(organizations))),
        teams.length > 0 ? h("div", { class: "page" }, boards(organizations, teams)) : null) };
  }
  const list = h("ul", { class: "rows" });
  const more = button({ name: text.projects.more, onclick: () => void show(query, next) });
  const empty = h("div", { class: "empty", hidden: true });
  let [query, next, turn] = [address.get("q") ?? "", "", 0];

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
    query = wanted;
    const found = await page(wanted, cursor);
    if (own === turn) add(found, !cursor);
  }
  /** Searches as the person types. The beginning and the end of a search are steps. @param {string} wanted */
  function search(wanted) {
    remember("q", wanted || null, { push: !query || !wanted });
    void show(wanted, "");
  }
  add(first, true);

  let timer = 0;
  const input = h("input", { type: "search", value: query, "aria-label": text.projects.search,
    placeholder: text.projects.search, oninput: () => {
      clearTimeout(timer);
      timer = window.setTimeout(() => search(input.value.trim()), SEARCH_MS);
    } });
  const content = h("div", { class: "page" },
    h("div", { class: "heading" }, h("h1", {}, text.projects.title),
      h("label", { class: "search" }, icon("search"), input),
      button({ name: text.projects.create, icon: "plus", kind: "primary", onclick: () => create(organizations) })),
    list, empty, more, boards(organizations, teams));
  const forget = rowKeys(content, "a.row", text.projects.title);
  return {
    title: text.projects.title,
    crumbs: [{ name: text.projects.title }],
    content,
    go(now) {
      input.value = now.get("q") ?? "";
      void show(input.value, "");
    },
    close() {
      clearTimeout(timer);
      forget();
    },
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

/** @param {any[]} organizations @param {any[]} teams */
function boards(organizations, teams) {
  return h("section", { "aria-labelledby": "boards" },
    h("div", { class: "heading" }, h("h2", { id: "boards" }, text.frame.boards), newBoard(organizations)),
    teams.length === 0 ? h("p", { class: "soft" }, text.board.emptyList) : boardRows(teams));
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
