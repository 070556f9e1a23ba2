// The actions of a board with their keys. They act on the card that has the focus, or that is open.

import { text } from "../../text.js";
import { icon } from "../../ui/dom.js";
import { toast } from "../../ui/toast.js";
import { pickAssignees, pickColumn, pickTags } from "./pickers.js";
import { askDelete, takeOff } from "./removal.js";

/**
 * @typedef {import("./column.js").Card} Card @typedef {import("./column.js").Column} Column
 * @typedef {{ place: string, element: HTMLElement, columns: () => Column[], cards: () => Card[], columnOf: (card: string) => string,
 *   moveToEnd: (card: string, to: string, end: "top" | "bottom") => void, changed: () => void,
 *   side: ReturnType<typeof import("./side.js").cardSide>, begin: (column: string) => void,
 *   filters: ReturnType<typeof import("./filters.js").filterRow>, createColumn: () => void }} Options
 */

/** @param {Options} options */
export function boardKeys({ place, element, columns, cards, columnOf, moveToEnd, changed, side, begin, filters, createColumn }) {
  /** The card that a key acts on, and where its menu stands. */
  const subject = () => {
    const focused = document.activeElement?.closest("[data-item]")?.querySelector("[data-card]");
    const id = focused?.getAttribute("data-card") ?? side.opened();
    const card = cards().find((one) => one.id === id);
    const anchor = focused ?? document.querySelector(".panel .card-name");
    return card && anchor ? { card, anchor } : null;
  };
  /** @param {(card: Card, anchor: Element) => unknown} act */
  const on = (act) => () => {
    const found = subject();
    if (!found) return toast(text.board.chooseCard);
    return Promise.resolve(act(found.card, found.anchor))
      .catch((error) => toast(error instanceof Error ? error.message : String(error), { bad: true }));
  };

  /** @param {string} card @param {Element} anchor */
  function moveMenu(card, anchor) {
    const known = cards().find((one) => one.id === card);
    pickColumn(anchor, { columns: columns(), at: columnOf(card), move(to, end) {
      moveToEnd(card, to, end);
      /** @type {HTMLElement | null} */ (element.querySelector(`[data-card="${card}"]`))?.focus();
    }, others: known ? [{ name: text.card.takeOff, lead: () => icon("close"), run: () => leave(known) },
      { name: text.card.asksDelete, lead: () => icon("bin"), danger: true, run: () => end(known) }] : [] });
  }

  /** What is open beside the board goes with its card. The focus goes to the card that comes next. @param {Card} card */
  function gone(card) {
    if (side.opened() === card.id) side.shut();
    const item = element.querySelector(`[data-item="${card.id}"]`);
    const around = [...(item?.closest("[data-column]")?.querySelectorAll("[data-item]") ?? [])];
    const at = around.findIndex((one) => one === item);
    const next = around[at + 1] ?? around[at - 1];
    if (item?.contains(document.activeElement) || document.activeElement === document.body) {
      /** @type {HTMLElement | null | undefined} */ (next?.querySelector("[data-card]"))?.focus();
    }
    return changed();
  }
  /** @param {Card} card */
  const leave = (card) => takeOff(place, card, () => gone(card));
  /** @param {Card} card */
  const end = (card) => askDelete(card.project_id, card, () => gone(card));

  /** @param {number} by */
  const step = (by) => {
    const all = /** @type {HTMLElement[]} */ ([...element.querySelectorAll("[data-card]")]);
    const at = all.indexOf(/** @type {HTMLElement} */ (document.activeElement));
    all[Math.max(0, Math.min(all.length - 1, at + by))]?.focus();
  };
  const focusOn = (/** @type {string} */ selector) => () =>
    /** @type {HTMLElement | null} */ (document.querySelector(selector))?.focus();

  const group = text.board.title;
  /** @returns {import("../../ui/actions.js").Action[]} */
  const actions = () => [
    { name: text.board.add, key: "c", group, icon: "plus", run: () => {
      const column = document.activeElement?.closest("[data-column]")?.getAttribute("data-column");
      begin(column ?? columns()[0]?.status.id ?? "");
    } },
    { name: text.board.nextCard, key: "j", group, run: () => step(1) },
    { name: text.board.previousCard, key: "k", group, run: () => step(-1) },
    { name: text.board.openCard, key: "Enter", group },
    { name: text.board.moveCard, key: "Shift+↑ ↓ ← →", group },
    { name: text.board.editCard, key: "e", group, icon: "pencil", run: on((card) =>
      side.open(card.id, focusOn("#field-card-name"))) },
    { name: text.card.moveTo, key: "m", group, icon: "open", run: on((card, anchor) => moveMenu(card.id, anchor)) },
    { name: text.card.assign, key: "a", group, icon: "person", run: on((card, anchor) => pickAssignees(anchor,
      { project: card.project_id, id: card.id, has: card.assignees.map(({ id }) => id), changed })) },
    { name: text.card.tag, key: "l", group, icon: "tag", run: on((card, anchor) => pickTags(anchor,
      { project: card.project_id, id: card.id, has: card.tags.map(({ id }) => id), changed })) },
    { name: text.card.takeOff, group, icon: "close", run: on(leave) },
    { name: text.card.asksDelete, group, icon: "bin", run: on(end) },
    { name: text.filters.filter, key: "f", group, icon: "filter", run: filters.open },
    { name: text.columns.create, group, icon: "board", run: createColumn },
  ];

  return { actions, moveMenu, gone };
}
