// Keys of the backlog: up and down through the cards, `x` selects, a number chooses a sprint.

import { isTyping, register } from "../../ui/actions.js";
import { text } from "../../text.js";

/** @param {{ list: HTMLElement, select: (card: string) => void, choose: (number: number) => void }} options */
export function listKeys({ list, select, choose }) {
  const cards = () => /** @type {HTMLElement[]} */ ([...list.querySelectorAll("[data-card]")]);
  const at = () => cards().findIndex((card) => card === document.activeElement);
  /** @param {number} by */
  const step = (by) => cards()[at() < 0 ? 0 : Math.max(0, Math.min(cards().length - 1, at() + by))]?.focus();
  const group = text.backlog.title;
  const forget = register(() => [
    { name: text.board.nextCard, key: "j", group, run: () => step(1) },
    { name: text.board.previousCard, key: "k", group, run: () => step(-1) },
    { name: text.board.openCard, key: "Enter", group },
    { name: text.backlog.selects, key: "x", group, run: () => select(cards()[at()]?.dataset.card ?? "") },
    { name: text.backlog.putByKey, key: "1 … 9", group },
  ]);

  /** @param {KeyboardEvent} event */
  function onKey(event) {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || isTyping(event)) return;
    if (document.querySelector("dialog[open]")) return;
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (by) step(by);
    else if (/^[1-9]$/.test(event.key)) choose(Number(event.key) - 1);
    else return;
    event.preventDefault();
  }
  document.addEventListener("keydown", onKey);
  return () => {
    document.removeEventListener("keydown", onKey);
    forget();
  };
}
