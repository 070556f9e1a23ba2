// Moving cards: dragging by mouse, arrow keys, and opening.

/**
 * @typedef {import("./column.js").Column} Column @typedef {import("./column.js").Card} Card
 * @typedef {{ move: (card: string, to: string, at: number) => void, columns: () => Column[],
 *   open: (card: Card) => Promise<void> }} Moves
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
    const others = [...column.querySelectorAll("[data-card]")].filter((one) => one !== dragged);
    const at = others.findIndex((one) => {
      const { top, height } = one.getBoundingClientRect();
      return event.clientY < top + height / 2;
    });
    move(card, column.dataset.column ?? "", at < 0 ? others.length : at);
  }, { signal });
  board.addEventListener("dragend", () => {
    dim();
    dragged?.classList.remove("dragged");
    dragged = null;
  }, { signal });

  board.addEventListener("click", (event) => {
    const element = cardOf(event);
    if (!element || event.ctrlKey || event.metaKey || event.shiftKey) return;
    const card = columns().flatMap((column) => column.cards).find((one) => one.id === element.dataset.card);
    if (!card) return;
    event.preventDefault();
    void open(card);
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
    if (event.shiftKey) return move(id, all[to].status.id, at + down);
    const target = all[to].cards[Math.max(0, Math.min(all[to].cards.length - 1, at + down))];
    /** @type {HTMLElement | null} */ (board.querySelector(`[data-card="${target?.id}"]`))?.focus();
  }, { signal });

  return () => ended.abort();
}
