// A column with its head, its cards, and the field for a new card. What is drawn already stays in the page.

import { newKey } from "../../api/client.js";
import { text } from "../../text.js";
import { button, fill, h, mark, moveBefore } from "../../ui/dom.js";
import { draftOf } from "../../ui/drafts.js";
import { dueDay, isLate } from "../../ui/due.js";
import { dot } from "../../ui/menu.js";

/**
 * @typedef {{ id: string, name: string, project_id: string, is_open: boolean, effort: number, deadline: string | null,
 *   assignees: { id: string, display_name: string }[], tags: { id: string, name: string, color: string }[] }} Card
 * @typedef {{ id: string, name: string, color: string, wip_limit: number | null, wip_unit: string, wip_policy: string,
 *   transition_state: string, closeMode: string }} Status
 * @typedef {{ status: Status, card_count: number, effort: number, cards: Card[] }} Column
 * @typedef {(column: Column, project: string, name: string, key: string) => Promise<void>} Add
 * @typedef {{ place: string, me: string, projects: { id: string, name: string }[], add: Add,
 *   more: (card: string, anchor: Element) => void, settings: (column: Column, anchor: Element) => void }} Context
 * @typedef {{ element: HTMLElement, update: (column: Column, cards: Card[], arriving: boolean) => void,
 *   prune: () => void, begin: () => void }} ColumnView `prune` removes cards that no column has taken
 */

/** The elements of all cards of a board, by card. @typedef {Map<string, { card: Card, isOpen: boolean, said: string, element: HTMLDivElement }>} Drawn */

/** Cards of a screen of a column. A browser leaves out screens that are not seen, and looks at each one in every frame. */
const SCREEN = 24;

/** @param {Column} first @param {Context} context @param {Drawn} drawn @returns {ColumnView} */
export function columnView(first, context, drawn) {
  let column = first;
  let headSaid = "";
  /** @type {Set<string>} */
  let wanted = new Set();
  /** The elements of cards that are not wanted any more. @type {HTMLElement[]} */
  let left = [];
  const heading = `column-${first.status.id}`;
  const head = h("div", { class: "column-head" });
  const list = h("div", { class: "cards", role: "list", id: `cards-${first.status.id}`, "aria-labelledby": heading });
  const screens = () => [...list.querySelectorAll(":scope > .screen")];
  const adder = newCard(() => column, context);
  const element = h("section", { class: "column", "data-column": first.status.id, "aria-labelledby": heading },
    head, list, adder.element);

  /** @param {number} shown */
  function drawHead(shown) {
    const { status, card_count: count, effort } = column;
    const said = JSON.stringify([status, count, effort, shown]);
    if (said === headSaid) return;
    headSaid = said;
    const used = status.wip_unit === "effort" ? effort : count;
    const limit = status.wip_limit;
    const over = limit !== null && used > limit;
    const held = head.contains(document.activeElement);
    const settings = button({ name: text.columns.settings(status.name), icon: "dots", kind: "plain small", quiet: true,
      onclick: () => context.settings(column, settings) });
    settings.setAttribute("aria-haspopup", "menu");
    fill(head, dot(status.color), h("h2", { id: heading, dir: "auto", title: status.name }, status.name),
      h("span", { class: "soft" }, limit === null ? String(count) : `${used} / ${limit}`),
      effort > 0 ? h("span", { class: "soft", title: text.board.effort }, `Σ ${effort}`) : null, settings,
      limit === null ? null : h("progress", { class: over ? "limit over" : "limit", max: Math.max(1, limit),
        value: used, "aria-label": text.board.limit }));
    if (held) settings.focus();
  }

  /** @param {Card[]} cards @param {boolean} arriving */
  function drawCards(cards, arriving) {
    const before = wanted;
    wanted = new Set(cards.map((card) => card.id));
    left = [...before].filter((card) => !wanted.has(card)).flatMap((card) => drawn.get(card)?.element ?? []);
    let next = itemAfter(null);
    for (const card of cards) {
      while (next && !wanted.has(next.dataset.item ?? "")) next = itemAfter(next);
      const item = cardElement(card, context, drawn);
      // Where one card has moved down, it alone is moved, not all others up.
      if (item === next || (next && item === itemAfter(next))) {
        next = itemAfter(item);
        continue;
      }
      item.classList.toggle("arrived", arriving && !list.contains(item));
      moveBefore(next?.parentElement ?? lastScreen(), item, next);
    }
  }

  /** The item below another one, or the first. @param {HTMLElement | null} item */
  function itemAfter(item) {
    let screen = /** @type {Element | null | undefined} */ (item?.parentElement);
    let next = item ? item.nextElementSibling : null;
    // Screens whose cards have all gone are there until they are pruned.
    while (!next) {
      screen = screen ? screen.nextElementSibling : list.firstElementChild;
      if (!screen) return null;
      next = screen.firstElementChild;
    }
    return /** @type {HTMLElement} */ (next);
  }

  /** A screen with room for one more card at its end. */
  function lastScreen() {
    const last = screens().at(-1);
    if (last && last.childElementCount < SCREEN) return last;
    const screen = h("div", { class: "screen", role: "none" });
    list.append(screen);
    return screen;
  }

  return {
    element,
    update(now, cards, arriving) {
      column = now;
      drawHead(cards.length);
      drawCards(cards, arriving);
    },
    prune() {
      for (const item of left) if (list.contains(item)) item.remove();
      left = [];
      for (const screen of screens()) if (screen.childElementCount === 0) screen.remove();
    },
    begin: adder.begin,
  };
}

/** @param {Card} card @param {Context} context @param {Drawn} drawn */
function cardElement(card, context, drawn) {
  const known = drawn.get(card.id);
  // A move changes nothing else of a card that was read already.
  if (known?.card === card && known.isOpen === card.is_open) return known.element;
  const said = JSON.stringify([card.name, card.is_open, card.effort, card.deadline, card.assignees, card.tags]);
  if (known?.said === said) {
    known.card = card;
    return known.element;
  }
  const element = known?.element ?? h("div", { "data-item": card.id, role: "listitem" });
  const focused = element.contains(document.activeElement);
  const late = card.is_open && card.deadline !== null && isLate(card.deadline);
  const facts = h("span", { class: "card-facts" },
    card.tags.map((tag) => h("span", { class: "tag" }, dot(tag.color), h("span", { dir: "auto" }, tag.name))),
    card.effort > 0 ? h("span", { class: "effort", title: text.board.effort }, card.effort) : null,
    card.deadline ? h("time", { class: late ? "late" : undefined, datetime: card.deadline },
      dueDay(card.deadline)) : null,
    card.assignees.length > 0 ? h("span", { class: "marks" }, card.assignees.map((person) => mark(person.display_name))) : null);
  const link = h("a", { class: card.is_open ? "card" : "card done", href: `${context.place}?card=${card.id}`, draggable: "true",
    "data-card": card.id, "aria-describedby": "board-keys" },
  h("span", { class: "name", dir: "auto" }, card.name), facts.childElementCount > 0 ? facts : null);
  const more = button({ name: text.card.actions(card.name), icon: "dots", kind: "plain small card-more", quiet: true,
    onclick: () => context.more(card.id, more) });
  more.setAttribute("aria-haspopup", "menu");
  fill(element, link, more);
  drawn.set(card.id, { card, isOpen: card.is_open, said, element });
  if (focused) link.focus({ preventScroll: true });
  return element;
}

/** The field for a new card; its text stays until the card is made. @param {() => Column} column @param {Context} context */
function newCard(column, { place, me, projects, add }) {
  const element = h("div", { class: "add" });
  const draft = draftOf(me, `${place}/statuses/${column().status.id}/cards`);
  const rest = () => fill(element, button({ name: text.board.add, icon: "plus", kind: "plain", onclick: begin }));
  function begin() {
    show();
    element.querySelector("input")?.focus();
  }
  function show() {
    if (projects.length === 0) return fill(element, h("p", { class: "soft" }, text.board.noProject));
    let key = newKey();
    const input = h("input", { name: "name", required: true, autocomplete: "off", "aria-label": text.board.name,
      placeholder: text.board.name, dir: "auto", value: draft.read() ?? "", oninput: () => draft.keep(input.value) });
    const project = h("select", { name: "project", "aria-label": text.board.project, hidden: projects.length === 1 },
      projects.map((one) => h("option", { value: one.id }, one.name)));
    const failure = h("p", { class: "failure", role: "alert" });
    const form = h("form", { class: "form" }, input, project, failure,
      h("div", { class: "actions" }, button({ name: text.cancel, onclick: cancel }),
        button({ name: text.board.adds, kind: "primary", type: "submit" })));
    form.addEventListener("submit", async (event) => {
      event.preventDefault();
      const typed = input.value;
      fill(failure);
      try {
        await add(column(), project.value, typed, key);
        key = newKey();
        // The next card is begun in the same place, unless it has been begun already.
        if (input.value === typed) {
          input.value = "";
          draft.end();
        }
        input.focus();
        form.scrollIntoView({ block: "nearest" });
      } catch (error) {
        fill(failure, error instanceof Error ? error.message : String(error));
      }
    });
    form.addEventListener("keydown", (event) => {
      if (event.key === "Escape") {
        rest();
        /** @type {HTMLElement | null} */ (element.querySelector("button"))?.focus();
      }
      event.stopPropagation();
    });
    fill(element, form);
  }
  function cancel() {
    draft.end();
    rest();
  }
  rest();
  return { element, begin };
}
