// Moving cards: dragging by mouse and by touch, arrow keys, and opening.

import { touch } from "./touch.js";

/**
 * @typedef {import("./column.js").Card} Card
 * @typedef {{ id: string, cards: Card[] }} Seen a column with the cards that the filter shows
 * @typedef {{ move: (card: string, to: string, at: number) => void, columns: () => Seen[],
 *   open: (card: string) => void }} Moves
 */

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
  const dim = () => board.querySelectorAll(".lit").forEach((lit) => lit.classList.remove("lit"));
  /** The place of `dragged` at a height of a column. @param {HTMLElement} column @param {number} y @param {Element | null} lifted */
  const placeAt = (column, y, lifted) => {
    const others = [...column.querySelectorAll("[data-card]")].filter((one) => one !== lifted);
    const at = others.findIndex((one) => {
      const { top, height } = one.getBoundingClientRect();
      return y < top + height / 2;
    });
    return at < 0 ? others.length : at;
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
    dim();
    column.classList.add("lit");
  }, { signal });
  board.addEventListener("drop", (event) => {
    const column = columnOf(event);
    const card = dragged?.dataset.card;
    if (!column || !card) return;
    event.preventDefault();
    move(card, column.dataset.column ?? "", placeAt(column, event.clientY, dragged));
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
    const column = document.elementFromPoint(x, y)?.closest("[data-column]");
    column?.classList.add("lit");
    return /** @type {HTMLElement | null} */ (column ?? null);
  }, drop(card, x, y) {
    dim();
    const column = /** @type {HTMLElement | null} */ (document.elementFromPoint(x, y)?.closest("[data-column]") ?? null);
    if (column) move(card.dataset.card ?? "", column.dataset.column ?? "", placeAt(column, y, card));
  } });

  return () => ended.abort();
}
