// A menu at a point: arrow keys go through it, Escape and a click beside it close it.

import { h, icon } from "./dom.js";

/** @typedef {{ name: string, icon?: string, act: () => void }} Item */

/** Opens a menu. @param {string} label @param {Item[]} items @param {number} x @param {number} y */
export function openMenu(label, items, x, y) {
  const before = document.activeElement;
  const menu = h("div", { class: "context-menu", role: "menu", "aria-label": label, popover: "auto" },
    items.map((item) => h("button", { type: "button", role: "menuitem", tabindex: "-1", onclick: () => {
      menu.hidePopover();
      item.act();
    } }, item.icon ? icon(item.icon) : h("span", { class: "twist" }), h("span", {}, item.name))));
  // In the main landmark, where readers of the screen look for it.
  (document.querySelector("main") ?? document.body).append(menu);
  menu.showPopover();
  menu.style.left = `${Math.max(8, Math.min(x, innerWidth - menu.offsetWidth - 8))}px`;
  menu.style.top = `${Math.max(8, Math.min(y, innerHeight - menu.offsetHeight - 8))}px`;
  const entries = /** @type {HTMLElement[]} */ ([...menu.children]);
  entries[0]?.focus();
  menu.addEventListener("keydown", (event) => {
    const at = entries.indexOf(/** @type {HTMLElement} */ (document.activeElement));
    const to = event.key === "ArrowDown" ? at + 1 : event.key === "ArrowUp" ? at - 1
      : event.key === "Home" ? 0 : event.key === "End" ? entries.length - 1 : null;
    if (to === null) return;
    event.preventDefault();
    entries[(to + entries.length) % entries.length]?.focus();
  });
  menu.addEventListener("toggle", (event) => {
    if (/** @type {ToggleEvent} */ (event).newState !== "closed") return;
    menu.remove();
    if (before instanceof HTMLElement && document.activeElement === document.body) before.focus();
  });
}
