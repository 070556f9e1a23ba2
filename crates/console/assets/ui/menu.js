// Menus: a list of choices at a control, with a field to find one where there are many. The platform's popover closes
// them; focus returns to the control.

import { fill, h, icon } from "./dom.js";

/**
 * @typedef {{ name: string, run: () => unknown, lead?: () => Node, checked?: boolean, danger?: boolean, key?: string,
 *   part?: string }} Entry a line is drawn between entries of different parts, and before those that destroy
 * @typedef {{ label: string, entries: Entry[], find?: string, empty?: string, stays?: boolean,
 *   search?: (query: string) => Promise<Entry[]>, create?: (query: string) => Entry,
 *   at?: { x: number, y: number } }} Options
 */

const GAP_PX = 4;
const SEARCH_MS = 150;
const MOST = 100;

/**
 * Opens a menu at `anchor`, or at the point `at`. With `find`, the text of its field, the entries are narrowed by typing; `search` asks for
 * entries instead; `create` adds one for a text that no entry has. With `stays` it is open until it is closed.
 * @param {Element} anchor @param {Options} options
 */
export function menu(anchor, { label, entries, find, empty, stays = false, search, create, at: point }) {
  const list = h("ul", { role: "menu", "aria-label": label });
  const none = h("p", { class: "soft menu-none", hidden: true }, empty);
  const input = find === undefined ? null : h("input", { type: "text", "aria-label": find, placeholder: find,
    autocomplete: "off", spellcheck: "false" });
  const element = h("div", { class: "menu", popover: "auto", ...(input ? { role: "dialog", "aria-label": label } : {}) },
    input, list, none);
  let [known, turn, timer] = [entries, 0, 0];

  function draw() {
    const query = input?.value.trim() ?? "";
    const folded = query.toLocaleLowerCase();
    const fit = search ? known : known.filter((entry) => entry.name.toLocaleLowerCase().includes(folded));
    const shown = fit.slice(0, MOST);
    if (create && query && !known.some((entry) => entry.name.toLocaleLowerCase() === folded)) shown.push(create(query));
    const hasLead = known.some((entry) => entry.lead);
    fill(list, shown.map((entry, at) => item(entry, shown[at - 1], hasLead)));
    none.hidden = shown.length > 0 || !empty;
    list.hidden = shown.length === 0;
  }

  /** @param {Entry} entry @param {Entry | undefined} above @param {boolean} hasLead if any entry has */
  function item(entry, above, hasLead) {
    const button = h("button", { type: "button", tabindex: "-1", class: entry.danger ? "menu-item danger" : "menu-item",
      role: entry.checked === undefined ? "menuitem" : "menuitemcheckbox",
      "aria-checked": entry.checked === undefined ? undefined : String(entry.checked) },
    hasLead || entry.lead ? h("span", { class: "menu-lead" }, entry.lead?.()) : null, h("span", { class: "name", dir: "auto" }, entry.name),
    entry.key ? h("kbd", {}, entry.key) : null, entry.checked ? icon("check") : null);
    button.addEventListener("click", () => {
      if (stays && entry.checked !== undefined) {
        entry.checked = !entry.checked;
        const at = [...list.children].findIndex((one) => one.contains(button));
        void entry.run();
        draw();
        if (input) input.focus();
        else /** @type {HTMLElement | undefined} */ (list.children[at]?.firstElementChild)?.focus();
        return;
      }
      element.hidePopover();
      void entry.run();
    });
    const begins = above && (entry.part !== above.part || (entry.danger && !above.danger));
    return h("li", { role: "none", class: begins ? "menu-part" : undefined }, button);
  }

  const buttons = () => /** @type {HTMLElement[]} */ ([...list.querySelectorAll("button")]);
  element.addEventListener("keydown", (event) => {
    event.stopPropagation();
    const all = buttons();
    const at = all.indexOf(/** @type {HTMLElement} */ (document.activeElement));
    const ends = event.target !== input;
    /** @type {Record<string, () => void>} */
    const keys = {
      Escape: () => element.hidePopover(),
      Tab: () => element.hidePopover(),
      ArrowDown: () => all[(at + 1) % all.length]?.focus(),
      ArrowUp: () => (at <= 0 && input ? input : all[(at - 1 + all.length) % all.length])?.focus(),
      ...(ends ? { Home: () => all[0]?.focus(), End: () => all.at(-1)?.focus() } : { Enter: () => all[0]?.click() }),
    };
    const act = keys[event.key];
    if (!act) return;
    event.preventDefault();
    act();
  });
  input?.addEventListener("input", () => {
    if (!search) return draw();
    clearTimeout(timer);
    timer = window.setTimeout(async () => {
      const own = ++turn;
      const found = await search(input.value.trim()).catch(() => []);
      if (own !== turn) return;
      known = found;
      draw();
    }, SEARCH_MS);
  });
  const back = /** @type {HTMLElement | null} */ (document.activeElement);
  element.addEventListener("toggle", (event) => {
    if (/** @type {ToggleEvent} */ (event).newState !== "closed") return;
    clearTimeout(timer);
    const lost = element.contains(document.activeElement) || document.activeElement === document.body;
    element.remove();
    anchor.setAttribute("aria-expanded", "false");
    if (lost) (anchor.isConnected ? /** @type {HTMLElement} */ (anchor) : back)?.focus({ preventScroll: true });
  });

  draw();
  // A dialog makes what is outside of it inert; elsewhere, all that a page shows is in one of its landmarks.
  (anchor.closest("dialog, main, header") ?? document.body).append(element);
  element.showPopover();
  place(element, point ? new DOMRect(point.x, point.y) : anchor.getBoundingClientRect());
  anchor.setAttribute("aria-expanded", "true");
  (input ?? buttons().find((one) => one.getAttribute("aria-checked") === "true") ?? buttons()[0])?.focus();
}

/** Puts `element` below `at`, or where there is room. @param {HTMLElement} element @param {DOMRect} at */
function place(element, at) {
  const { width, height } = element.getBoundingClientRect();
  const left = Math.max(GAP_PX, Math.min(at.left, innerWidth - width - GAP_PX));
  const below = at.bottom + GAP_PX;
  const top = below + height <= innerHeight ? below : Math.max(GAP_PX, Math.min(at.top - height - GAP_PX, innerHeight - height));
  element.style.setProperty("left", `${left}px`);
  element.style.setProperty("top", `${top}px`);
}

/** A dot of a colour. @param {string} color */
export function dot(color) {
  const element = h("span", { class: "dot", "aria-hidden": "true" });
  element.style.setProperty("--dot", color);
  return element;
}
