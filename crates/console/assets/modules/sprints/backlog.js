// The backlog: open cards in no sprint, put into one by dragging, by keys, or by the bar above them.

import { all, get, put } from "../../api/client.js";
import { teamEvents, watch } from "../../api/events.js";
import { text } from "../../text.js";
import { button, fill, h, icon, mark } from "../../ui/dom.js";
import { released } from "../../ui/pointer.js";
import { toast } from "../../ui/toast.js";
import { teamPage } from "../../ui/team.js";
import { period } from "./dates.js";
import { listKeys } from "./keys.js";

/** @typedef {{ id: string, name: string, project: string, effort: number, sprint: string | null, isOnBoard: boolean, assignees: { id: string, display_name: string }[] }} Card */

/** Cards that are not on the board; more are found by searching. */
const MOST = 100;

/** @type {import("../../router.js").Opener} */
export async function openBacklog({ org, team: id }) {
  const { path, view } = await teamPage(org, id, "/backlog", text.backlog.title);
  /** @type {Card[]} */
  let cards = [];
  /** @type {any[]} */
  let sprints = [];
  /** @type {Set<string>} */
  const selected = new Set();
  let [query, beyond, moving, dragged] = ["", 0, 0, ""];
  const list = h("div", { class: "backlog-list" });
  const places = h("div", { class: "backlog-sprints" });
  const bar = h("div", { class: "bulk", role: "group", "aria-label": text.backlog.put(2) });
  const spoken = h("p", { class: "unseen", role: "status" });

  async function load() {
    const [{ board }, found, planned, active] = await Promise.all([get(`${path}/board`),
      get(`${path}/available-cards?limit=${MOST}${query ? `&q=${encodeURIComponent(query)}` : ""}`),
      all(`${path}/sprints?status=planned`, "sprints"), all(`${path}/sprints?status=active`, "sprints")]);
    await released();
    // A card in the hand stays there: it would be lost with its element.
    if (moving > 0 || dragged) return;
    sprints = [...active, ...planned.reverse()];
    const wanted = query.toLocaleLowerCase();
    const onBoard = board.columns.flatMap((/** @type {any} */ column) => column.cards)
      .filter((/** @type {any} */ card) => card.sprint_id || (card.is_open && card.name.toLocaleLowerCase().includes(wanted)));
    const one = (/** @type {any} */ card, /** @type {boolean} */ isOnBoard) =>
      ({ id: card.id, name: card.name, project: card.project_id, effort: card.effort, sprint: card.sprint_id ?? null, isOnBoard, assignees: card.assignees });
    cards = [...onBoard.map((/** @type {any} */ card) => one(card, true)), ...found.cards.map((/** @type {any} */ card) => one(card, false))];
    beyond = found.meta.total - found.cards.length;
    for (const chosen of selected) if (!cards.some((card) => card.id === chosen && !card.sprint)) selected.delete(chosen);
    draw();
  }
  const later = () => watched.later();

  function draw() {
    const focused = document.activeElement?.getAttribute("data-card");
    const free = cards.filter((card) => !card.sprint);
    const groups = [[text.backlog.onBoard, free.filter((card) => card.isOnBoard)], [text.backlog.offBoard, free.filter((card) => !card.isOnBoard)]];
    fill(list, free.length === 0 ? h("div", { class: "empty" }, icon("backlog"), h("p", {}, text.backlog.empty),
      h("a", { class: "button primary", href: path }, text.board.title))
      : groups.map(([name, some]) => some.length === 0 ? null : h("section", {},
        h("h2", {}, `${name} `, h("span", { class: "soft" }, String(some.length))),
        h("ul", { class: "rows" }, /** @type {Card[]} */ (some).map(row)))),
    beyond > 0 ? h("p", { class: "soft" }, text.backlog.more(beyond)) : null);
    fill(places, sprints.length === 0 ? h("p", { class: "soft" }, text.backlog.noSprints, " ",
      h("a", { href: `${path}/sprints` }, text.sprints.create)) : sprints.map(sprintPlace));
    drawBar();
    if (focused) /** @type {HTMLElement | null} */ (document.querySelector(`[data-card="${focused}"]`))?.focus();
  }

  function drawBar() {
    const target = h("select", { "aria-label": text.sprints.title }, sprints.map((sprint) => h("option", { value: sprint.id }, sprint.name)));
    const act = button({ name: selected.size === 0 ? text.backlog.choose : text.backlog.put(selected.size), kind: "primary",
      onclick: () => void move([...selected], target.value) });
    act.disabled = selected.size === 0;
    fill(bar, sprints.length === 0 ? null : [act, target]);
  }

  /** @param {Card} card */
  function row(card) {
    const box = h("input", { type: "checkbox", tabindex: "-1", "aria-label": `${text.backlog.select}: ${card.name}`, onchange: () => select(card.id) });
    box.checked = selected.has(card.id);
    return h("li", { class: "backlog-row", draggable: "true", "data-drag": card.id }, box,
      h("a", { class: "backlog-card", href: card.isOnBoard ? `${path}?card=${card.id}` : `/projects/${card.project}/cards/${card.id}`, "data-card": card.id, dir: "auto" }, card.name),
      card.effort > 0 ? h("span", { class: "soft", title: text.board.effort }, card.effort) : null,
      card.assignees.map((person) => mark(person.display_name)));
  }

  /** @param {any} sprint @param {number} at */
  function sprintPlace(sprint, at) {
    const own = cards.filter((card) => card.sprint === sprint.id);
    const effort = own.reduce((sum, card) => sum + card.effort, 0);
    return h("section", { class: "sprint-place", "data-sprint": sprint.id, "aria-labelledby": `sprint-${sprint.id}` },
      h("div", { class: "sprint-place-head" }, h("h2", { id: `sprint-${sprint.id}` },
        h("a", { href: `${path}/sprints/${sprint.id}`, dir: "auto" }, sprint.name)),
      at < 9 ? h("kbd", { title: text.backlog.key(at + 1) }, String(at + 1)) : null),
      h("p", { class: "soft" }, `${text.sprints.states[sprint.status]} · ${period(sprint)} · ${text.sprints.tally(own.length, effort)}`),
      h("ul", { class: "sprint-own" }, own.map((card) => h("li", {}, h("span", { dir: "auto" }, card.name),
        button({ name: text.backlog.takeOut, icon: "close", kind: "plain", quiet: true, onclick: () => void move([card.id], null) })))));
  }

  /** @param {string} card */
  function select(card) {
    if (!card) return;
    if (!selected.delete(card)) selected.add(card);
    for (const box of /** @type {NodeListOf<HTMLInputElement>} */ (list.querySelectorAll(`[data-drag="${card}"] input`))) box.checked = selected.has(card);
    drawBar();
  }

  /** Puts cards into a sprint at once, and back with the reason if the service refuses. @param {string[]} chosen @param {string | null} to */
  async function move(chosen, to) {
    const name = sprints.find((sprint) => sprint.id === to)?.name ?? text.backlog.title;
    const moved = cards.filter((card) => chosen.includes(card.id)).map((card) => ({ card, from: card.sprint }));
    for (const { card } of moved) card.sprint = to;
    selected.clear();
    draw();
    moving += 1;
    for (const { card, from } of moved) {
      try {
        await put(`${path}/cards/${card.id}`, { sprintId: to });
        fill(spoken, text.backlog.placed(card.name, name));
      } catch (error) {
        card.sprint = from;
        draw();
        toast(text.backlog.refused(card.name, error instanceof Error ? error.message : String(error)), { bad: true });
      }
    }
    moving -= 1;
    later();
  }

  const ended = listKeys({ list, select, choose(number) {
    const card = document.activeElement?.getAttribute("data-card");
    const chosen = selected.size > 0 ? [...selected] : card ? [card] : [];
    if (sprints[number] && chosen.length > 0) void move(chosen, sprints[number].id);
  } });
  list.addEventListener("dragstart", (event) => {
    dragged = (event.target instanceof Element ? event.target.closest("[data-drag]") : null)?.getAttribute("data-drag") ?? "";
    if (event.dataTransfer) event.dataTransfer.effectAllowed = "move";
  });
  const placeOf = (/** @type {Event} */ event) =>
    /** @type {HTMLElement | null} */ (event.target instanceof Element ? event.target.closest("[data-sprint]") : null);
  const dim = () => places.querySelectorAll(".lit").forEach((lit) => lit.classList.remove("lit"));
  places.addEventListener("dragover", (event) => {
    const place = placeOf(event);
    if (!dragged || !place) return;
    event.preventDefault();
    dim();
    place.classList.add("lit");
  });
  places.addEventListener("dragleave", dim);
  list.addEventListener("dragend", () => {
    dragged = "";
    dim();
    later();
  });
  places.addEventListener("drop", (event) => {
    event.preventDefault();
    dim();
    const to = placeOf(event)?.dataset.sprint;
    const card = dragged;
    dragged = "";
    if (to && card) void move(selected.has(card) ? [...selected] : [card], to);
  });

  await load();
  const watched = watch(teamEvents(org, id), load);
  const input = h("input", { type: "search", "aria-label": text.backlog.find, placeholder: text.backlog.find, oninput: () => {
    query = input.value.trim();
    later();
  } });
  return {
    ...view,
    content: h("div", { class: "backlog" }, h("div", { class: "backlog-head" }, h("h1", {}, text.backlog.title),
      h("label", { class: "search" }, icon("search"), input), bar), h("p", { class: "soft backlog-lead" }, text.backlog.lead), list, places, spoken),
    close() {
      watched.stop();
      ended();
    },
  };
}
