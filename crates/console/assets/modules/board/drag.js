// Moving cards: dragging by mouse and by touch, arrow keys, and opening.

import { h } from "../../ui/dom.js";
import { touch } from "./touch.js";

/** Half of the gap between two cards. */
const GAP_PX = 3;

/**
 * @typedef {import("./column.js").Card} Card
 * @typedef {{ id: string, cards: Card[] }} Seen a column with the cards that the filter shows
 * @typedef {{ move: (card: string, to: string, at: number) => void, columns: () => Seen[],
 *   open: (card: string) => void }} Moves
 */

/**
 * The other cards of a column, and the place among them that a height means. The rows are in order, so few are measured,
 * and only those of the screen at that height: cards that are not seen have no true place.
 * @param {HTMLElement} column @param {number} y @param {Element | null} lifted
 */
function placeIn(column, y, lifted) {
  const isOther = (/** @type {Element} */ one) => !one.contains(lifted);
  const others = [...column.querySelectorAll("[data-item]")].filter(isOther);
  let [at, end] = [0, 0];
  for (const screen of column.querySelectorAll(".screen")) {
    if (end > 0 && screen.getBoundingClientRect().top > y) break;
    [at, end] = [end, end + [...screen.children].filter(isOther).length];
  }
  while (at < end) {
    const middle = (at + end) >> 1;
    const { top, height } = others[middle].getBoundingClientRect();
    if (y < top + height / 2) end = middle;
    else at = middle + 1;
  }
  return { others, at };
}

/** Listens on the board; the returned function ends it. @param {HTMLElement} board @param {Moves} moves */
export function arrange(board, { move, columns, open }) {
  const ended = new AbortController();
  const { signal } = ended;
  /** @type {HTMLElement | null} */
  let dragged = null;

  /** @param {Event} event */
  const cardOf = (event) =>
    /** @type {HTMLElement | null} */ (event.target instanceof Element ? event.target.closest("[data-card]") : null);
  /** @param {Event} event */
  const columnOf = (event) =>
    /** @type {HTMLElement | null} */ (event.target instanceof Element ? event.target.closest("[data-column]") : null);
  /** Shows where a card will land. It takes no room: the cards stay where they are. */
  const line = h("div", { class: "landing", "aria-hidden": "true" });
  const dim = () => {
    board.querySelectorAll(".lit").forEach((lit) => lit.classList.remove("lit"));
    line.remove();
  };
  /** Lights the column and the place in it that a height means. @param {HTMLElement} column @param {number} y @param {Element | null} lifted */
  const light = (column, y, lifted) => {
    column.classList.add("lit");
    const list = column.querySelector(".cards");
    if (!list) return;
    const { others, at } = placeIn(column, y, lifted);
    const [next, above] = [others[at], others[at - 1]];
    const edge = next ? next.getBoundingClientRect().top - GAP_PX
      : (above?.getBoundingClientRect().bottom ?? list.getBoundingClientRect().top) + GAP_PX;
    line.style.setProperty("top", `${edge - list.getBoundingClientRect().top + list.scrollTop}px`);
    if (line.parentElement !== list) list.append(line);
  };

  board.addEventListener("dragstart", (event) => {
    dragged = cardOf(event);
    if (!dragged || !event.dataTransfer) return;
    event.dataTransfer.effectAllowed = "move";
    event.dataTransfer.setData("text/plain", dragged.textContent ?? "");
    dragged.classList.add("dragged");
  }, { signal });
  board.addEventListener("dragover", (event) => {
    const column = columnOf(event);
    if (!dragged || !column) return;
    event.preventDefault();
    if (!column.classList.contains("lit")) dim();
    light(column, event.clientY, dragged);
  }, { signal });
  board.addEventListener("drop", (event) => {
    const column = columnOf(event);
    const card = dragged?.dataset.card;
    if (!column || !card) return;
    event.preventDefault();
    move(card, column.dataset.column ?? "", placeIn(column, event.clientY, dragged).at);
  }, { signal });
  board.addEventListener("dragend", () => {
    dim();
    dragged?.classList.remove("dragged");
    dragged = null;
  }, { signal });

  board.addEventListener("click", (event) => {
    const id = cardOf(event)?.dataset.card;
    if (!id || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    open(id);
  }, { signal });

  board.addEventListener("keydown", (event) => {
    const id = cardOf(event)?.dataset.card;
    /** @type {Record<string, [number, number]>} */
    const steps = { ArrowUp: [0, -1], ArrowDown: [0, 1], ArrowLeft: [-1, 0], ArrowRight: [1, 0], k: [0, -1], j: [0, 1] };
    const step = steps[event.key];
    if (!id || !step || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    const all = columns();
    const from = all.findIndex((column) => column.cards.some((card) => card.id === id));
    const at = all[from].cards.findIndex((card) => card.id === id);
    const [across, down] = step;
    let to = from + across;
    if (!event.shiftKey) while (across !== 0 && all[to] && all[to].cards.length === 0) to += across;
    if (!all[to]) return;
    if (event.shiftKey) return move(id, all[to].id, at + down);
    const target = all[to].cards[Math.max(0, Math.min(all[to].cards.length - 1, at + down))];
    /** @type {HTMLElement | null} */ (board.querySelector(`[data-card="${target?.id}"]`))?.focus();
  }, { signal });

  touch(board, { signal, cardOf, lit(x, y) {
    dim();
    const column = /** @type {HTMLElement | null} */ (document.elementFromPoint(x, y)?.closest("[data-column]") ?? null);
    if (column) light(column, y, null);
    return column;
  }, drop(card, x, y) {
    dim();
    const column = /** @type {HTMLElement | null} */ (document.elementFromPoint(x, y)?.closest("[data-column]") ?? null);
    if (column) move(card.dataset.card ?? "", column.dataset.column ?? "", placeIn(column, y, card).at);
  } });

  return () => ended.abort();
}
