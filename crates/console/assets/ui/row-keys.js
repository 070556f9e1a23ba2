// Keys of a list: `j` and `k` move the focus from row to row, and Enter opens the one that has it.

import { register } from "./actions.js";
import { text } from "../text.js";

/**
 * Registers the keys of the rows that `selector` finds, until the returned function is called.
 * @param {Element} list @param {string} selector @param {string} group the page that the keys are listed under
 */
export function rowKeys(list, selector, group) {
  /** @param {number} by */
  const step = (by) => {
    const rows = /** @type {HTMLElement[]} */ ([...list.querySelectorAll(selector)])
      .filter((row) => row.checkVisibility());
    const at = rows.findIndex((row) => row === document.activeElement);
    rows[at < 0 ? 0 : Math.max(0, Math.min(rows.length - 1, at + by))]?.focus();
  };
  return register(() => [
    { name: text.list.next, key: "j", group, run: () => step(1) },
    { name: text.list.previous, key: "k", group, run: () => step(-1) },
    { name: text.list.opens, key: "Enter", group },
  ]);
}
