// The cards of a board as a table: sorted and filtered by the address, changed many at once.

import { all, get } from "../../api/client.js";
import { teamEvents, watch } from "../../api/events.js";
import { teamPeople } from "../../api/people.js";
import { register } from "../../ui/actions.js";
import { open, remember } from "../../router.js";
import { text } from "../../text.js";
import { button, fill, h, icon, mark } from "../../ui/dom.js";
import { dueDay, isLate } from "../../ui/due.js";
import { openTeam, teamView } from "../../ui/team.js";
import { bulkBar } from "./bulk.js";
import { grid } from "./grid.js";

/**
 * @typedef {{ id: string, name: string, project_id: string, project_name: string, is_open: boolean, effort: number,
 *   deadline: string | null, sprint_id: string | null, column: string, assignees: { id: string, display_name: string }[],
 *   tags: { id: string, name: string, color: string }[], error?: string }} Card
 * @typedef {{ columns: { id: string, name: string, color: string }[], sprints: Map<string, any>, people: Map<string, string>,
 *   tags: Map<string, Map<string, any>> }} Around tags by name, then by project
 */

const FILTERS = ["q", "state", "column", "assignee", "tag", "sprint"];

/** @type {import("../../router.js").Opener} */
export async function openCards({ org, team: id }, search) {
  const path = `/orgs/${org}/teams/${id}`;
  const [opened, { board }, sprints, people] = await Promise.all([openTeam(org, id), get(`${path}/board`),
    all(`${path}/sprints`, "sprints"), teamPeople(org, id)]);
  const { projects } = opened;
  /** @type {Around} */
  const around = { columns: board.columns.map((/** @type {any} */ column) => column.status), people, tags: new Map(),
    sprints: new Map(sprints.map((sprint) => [sprint.id, sprint])) };
  await Promise.all(projects.map(async (project) => {
    for (const tag of (await get(`/projects/${project.id}/card-tags`).catch(() => ({ tags: [] }))).tags) {
      const named = around.tags.get(tag.name) ?? new Map();
      around.tags.set(tag.name, named.set(project.id, tag));
    }
  }));
  const place = new Map(around.columns.map((column, at) => [column.id, at]));
  let cards = cardsOf(board);
  let [sort, descending] = [search.get("sort") ?? "column", search.get("order") === "desc"];
  const filter = new Map(FILTERS.map((name) => [name, search.get(name) ?? ""]));
  const count = h("p", { class: "soft", role: "status" });
  const empty = h("div", { class: "empty", hidden: true });
  const filters = h("div", { class: "card-filters", role: "search" });

  /** @type {import("./grid.js").Column<Card>[]} */
  const columns = [
    { key: "name", name: text.cards.columns.name, cell: (card) => [h("span", { class: card.is_open ? "name" : "name done", dir: "auto" }, card.name),
      card.error ? h("span", { class: "wrong", title: card.error }, icon("warning"), h("span", { dir: "auto" }, card.error)) : null] },
    { key: "column", name: text.cards.columns.column, cell: (card) => {
      const column = around.columns[place.get(card.column) ?? 0];
      return [dot(column.color), h("span", { dir: "auto" }, column.name)];
    } },
    { key: "assignees", name: text.cards.columns.assignees, cell: (card) => card.assignees.map((person) => mark(person.display_name)) },
    { key: "tags", name: text.cards.columns.tags, cell: (card) => card.tags.map((tag) => h("span", { class: "tag" }, dot(tag.color), tag.name)) },
    { key: "sprint", name: text.cards.columns.sprint, cell: (card) => h("span", { dir: "auto" }, around.sprints.get(card.sprint_id ?? "")?.name ?? "") },
    { key: "effort", name: text.cards.columns.effort, cell: (card) => card.effort || "" },
    { key: "due", name: text.cards.columns.due, cell: (card) => (card.deadline ? h("span", { class: card.is_open && isLate(card.deadline) ? "late" : undefined }, dueDay(card.deadline)) : "") },
    { key: "project", name: text.cards.columns.project, cell: (card) => h("span", { dir: "auto" }, card.project_name) },
  ];
  const table = grid({ label: text.cards.table, all: text.cards.selectsAll, described: "cards-keys", opened: (card) => open(`${path}?card=${card.id}`),
    sorted(key) {
      [sort, descending] = [key, sort === key && !descending];
      remember("sort", sort);
      remember("order", descending ? "desc" : null);
      draw();
    },
    selected: () => bar.draw(),
    columns });
  const bar = bulkBar({ path, around, chosen: table.chosen, cards: () => cards, draw: () => draw(), later });

  async function load() {
    const answer = await get(`${path}/board`);
    if (bar.isBusy()) return later();
    const errors = new Map(cards.map((card) => [card.id, card.error]));
    cards = cardsOf(answer.board).map((card) => ({ ...card, error: errors.get(card.id) }));
    const known = new Set(cards.map((card) => card.id));
    for (const one of table.chosen) if (!known.has(one)) table.chosen.delete(one);
    draw();
  }
  function later() {
    watched.later();
  }

  /** @param {Card} card */
  function passes(card) {
    const is = (/** @type {string} */ name) => filter.get(name) ?? "";
    return (!is("q") || card.name.toLocaleLowerCase().includes(is("q").toLocaleLowerCase()))
      && (!is("state") || card.is_open === (is("state") === "open"))
      && (!is("column") || card.column === is("column"))
      && (!is("assignee") || (is("assignee") === "none" ? card.assignees.length === 0 : card.assignees.some((one) => one.id === is("assignee"))))
      && (!is("tag") || card.tags.some((tag) => tag.name === is("tag")))
      && (!is("sprint") || (card.sprint_id ?? "none") === is("sprint"));
  }

  /** @type {Record<string, (card: Card) => string | number>} */
  const keys = {
    name: (card) => card.name, column: (card) => place.get(card.column) ?? 0, assignees: (card) => card.assignees[0]?.display_name ?? "\uffff",
    tags: (card) => card.tags[0]?.name ?? "\uffff", sprint: (card) => around.sprints.get(card.sprint_id ?? "")?.name ?? "\uffff",
    effort: (card) => card.effort, due: (card) => card.deadline ?? "9", project: (card) => card.project_name,
  };

  function draw() {
    const key = keys[sort] ?? keys.column;
    const collator = new Intl.Collator(undefined, { numeric: true });
    const compare = (/** @type {Card} */ a, /** @type {Card} */ b) => {
      const [one, other] = [key(a), key(b)];
      return typeof one === "number" ? one - Number(other) : collator.compare(one, String(other));
    };
    const shown = cards.filter(passes).sort((a, b) => (descending ? compare(b, a) : compare(a, b)));
    fill(count, text.cards.count(shown.length, cards.length));
    empty.hidden = shown.length > 0;
    table.element.hidden = shown.length === 0;
    fill(empty, cards.length === 0 ? [h("p", {}, text.cards.empty), h("a", { class: "button primary", href: path }, text.board.title)]
      : [h("p", {}, text.cards.noMatch), button({ name: text.cards.clear, onclick: clear })]);
    table.show(shown, sort, descending);
    bar.draw();
  }

  /** @param {string} name @param {string} value */
  function set(name, value) {
    filter.set(name, value);
    remember(name, value || null);
    draw();
  }
  function clear() {
    for (const name of FILTERS) set(name, "");
    drawFilters();
  }

  function drawFilters() {
    const input = h("input", { type: "search", value: filter.get("q"), "aria-label": text.cards.find, placeholder: text.cards.find,
      oninput: () => set("q", input.value.trim()) });
    const choice = (/** @type {string} */ name, /** @type {string} */ label, /** @type {[string, string][]} */ options) => {
      const select = h("select", { "aria-label": label, name, onchange: () => set(name, select.value) }, h("option", { value: "" }, `${label}: ${text.cards.all}`),
        options.map(([value, said]) => h("option", { value, selected: filter.get(name) === value }, said)));
      return select;
    };
    fill(filters, h("label", { class: "search" }, icon("search"), input),
      choice("state", text.cards.state, [["open", text.cards.open], ["closed", text.cards.closed]]),
      choice("column", text.cards.columns.column, around.columns.map(({ id: one, name }) => [one, name])),
      choice("assignee", text.cards.columns.assignees, [["none", text.cards.none], ...people]),
      choice("tag", text.cards.columns.tags, [...around.tags.keys()].map((name) => [name, name])),
      choice("sprint", text.cards.columns.sprint, [["none", text.cards.noSprint], ...[...around.sprints.values()].map((one) => /** @type {[string, string]} */ ([one.id, one.name]))]));
  }

  drawFilters();
  draw();
  const group = text.cards.title;
  const forget = register(() => [
    { name: text.board.nextCard, key: "j", group, run: () => table.step(1) },
    { name: text.board.previousCard, key: "k", group, run: () => table.step(-1) },
    { name: text.board.openCard, key: "Enter", group },
    { name: text.cards.selects, key: "x", group },
    { name: text.cards.selectsMore, key: "Shift+↑ ↓", group },
    { name: text.cards.selectsAll, key: "Ctrl+A", group },
  ]);
  const watched = watch(teamEvents(org, id), load);
  return {
    ...teamView(opened, "/cards", text.cards.title),
    content: h("div", { class: "cards-page" }, h("div", { class: "cards-head" }, h("h1", {}, text.cards.title), count, filters),
      h("p", { class: "unseen", id: "cards-keys" }, text.cards.keys), table.element, empty, bar.element),
    close() {
      watched.stop();
      forget();
      document.body.removeAttribute("data-bulk");
    },
  };
}

/** @param {any} board @returns {Card[]} */
function cardsOf(board) {
  return board.columns.flatMap((/** @type {any} */ column) =>
    column.cards.map((/** @type {any} */ card) => ({ ...card, column: column.status.id })));
}

/** @param {string} color */
function dot(color) {
  const element = h("span", { class: "dot", "aria-hidden": "true" });
  element.style.setProperty("--dot", color);
  return element;
}
