// A column with its head, its cards, and the field for a new card.

import { newKey } from "../../api/client.js";
import { text } from "../../text.js";
import { button, fill, h, mark } from "../../ui/dom.js";

/**
 * @typedef {{ id: string, name: string, project_id: string, is_open: boolean, effort: number, deadline: string | null,
 *   assignees: { id: string, display_name: string }[], tags: { id: string, name: string, color: string }[] }} Card
 * @typedef {{ id: string, name: string, color: string, wip_limit: number | null, wip_unit: string }} Status
 * @typedef {{ status: Status, card_count: number, effort: number, cards: Card[] }} Column
 * @typedef {(column: Column, project: string, name: string, key: string) => Promise<void>} Add
 */

/** @param {string} place @param {Column} column @param {{ id: string, name: string }[]} projects @param {Add} add */
export function columnView(place, column, projects, add) {
  const { status } = column;
  const used = status.wip_unit === "effort" ? column.effort : column.card_count;
  const limit = status.wip_limit;
  const over = limit !== null && used > limit;
  const heading = `column-${status.id}`;
  return h("section", { class: "column", "data-column": status.id, "aria-labelledby": heading },
    h("div", { class: "column-head" }, dot(status.color), h("h2", { id: heading, dir: "auto" }, status.name),
      h("span", { class: "soft" }, limit === null ? String(column.card_count) : `${used} / ${limit}`),
      column.effort > 0 ? h("span", { class: "soft", title: text.board.effort }, `Σ ${column.effort}`) : null),
    limit === null ? null : h("progress", { class: over ? "limit over" : "limit", max: Math.max(1, limit),
      value: used, "aria-label": text.board.limit }),
    h("ul", { class: "cards", id: `cards-${status.id}`, "aria-labelledby": heading },
      column.cards.map((card) => h("li", {}, cardView(place, card)))),
    newCard(column, projects, add));
}

/** @param {string} place @param {Card} card */
function cardView(place, card) {
  const facts = h("span", { class: "card-facts" },
    card.tags.map((tag) => h("span", { class: "tag" }, dot(tag.color), h("span", { dir: "auto" }, tag.name))),
    card.effort > 0 ? h("span", { title: text.board.effort }, card.effort) : null,
    card.deadline ? h("time", { datetime: card.deadline }, new Date(card.deadline).toLocaleDateString()) : null,
    card.assignees.map((person) => mark(person.display_name)));
  return h("a", { class: card.is_open ? "card" : "card done", href: `${place}?card=${card.id}`, draggable: "true",
    "data-card": card.id, "aria-describedby": "board-keys" }, h("span", { class: "name", dir: "auto" }, card.name), facts);
}

/** @param {string} color */
function dot(color) {
  const element = h("span", { class: "dot", "aria-hidden": "true" });
  element.style.setProperty("--dot", color);
  return element;
}

/** @param {Column} column @param {{ id: string, name: string }[]} projects @param {Add} add */
function newCard(column, projects, add) {
  const place = h("div", { class: "add" });
  const begin = () => {
    if (projects.length === 0) return fill(place, h("p", { class: "soft" }, text.board.noProject));
    let key = newKey();
    const input = h("input", { name: "name", required: true, autocomplete: "off", "aria-label": text.board.name,
      placeholder: text.board.name });
    const project = h("select", { name: "project", "aria-label": text.board.project, hidden: projects.length === 1 },
      projects.map((one) => h("option", { value: one.id }, one.name)));
    const failure = h("p", { class: "failure", role: "alert" });
    const form = h("form", { class: "form" }, input, project, failure,
      h("div", { class: "actions" }, button({ name: text.cancel, onclick: rest }),
        button({ name: text.board.adds, kind: "primary", type: "submit" })));
    form.addEventListener("submit", async (event) => {
      event.preventDefault();
      try {
        await add(column, project.value, input.value, key);
        key = newKey();
        // The board was drawn again: the next card is begun in the new column.
        /** @type {HTMLElement | null} */ (document.querySelector(`[data-column="${column.status.id}"] .add button`))?.click();
      } catch (error) {
        fill(failure, error instanceof Error ? error.message : String(error));
      }
    });
    form.addEventListener("keydown", (event) => {
      if (event.key === "Escape") rest();
      event.stopPropagation();
    });
    fill(place, form);
    input.focus();
  };
  const rest = () => fill(place, button({ name: text.board.add, icon: "plus", kind: "plain", onclick: begin }));
  rest();
  return place;
}
