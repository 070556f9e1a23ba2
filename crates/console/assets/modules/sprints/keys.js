// Keys of the backlog: up and down through the cards, `x` selects, a number chooses a sprint.

/** @param {{ list: HTMLElement, select: (card: string) => void, choose: (number: number) => void }} options */
export function listKeys({ list, select, choose }) {
  /** @param {KeyboardEvent} event */
  function onKey(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.target instanceof Element && event.target.closest("input:not([type=checkbox]), textarea, select, dialog")) return;
    const cards = /** @type {HTMLElement[]} */ ([...list.querySelectorAll("[data-card]")]);
    const at = cards.findIndex((card) => card === document.activeElement);
    const step = { ArrowDown: 1, j: 1, ArrowUp: -1, k: -1 }[event.key];
    if (step) cards[at < 0 ? 0 : Math.max(0, Math.min(cards.length - 1, at + step))]?.focus();
    else if (event.key === "x" && at >= 0) select(cards[at].dataset.card ?? "");
    else if (/^[1-9]$/.test(event.key)) choose(Number(event.key) - 1);
    else return;
    event.preventDefault();
  }
  document.addEventListener("keydown", onKey);
  return () => document.removeEventListener("keydown", onKey);
}
