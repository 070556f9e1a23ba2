// The palette: every action of the page and every place, found by typing and ranked by recent use.

import { open } from "../router.js";
import { text } from "../text.js";
import { actions } from "./actions.js";
import { fill, h, icon } from "./dom.js";
import { findPlaces, findsObjects, forgetPlaces } from "./find.js";
import { note, rankOf, recent } from "./recent.js";

/** @typedef {{ name: string, where: string, icon: string, key?: string, id: string, run: () => unknown }} Choice */

const SEARCH_MS = 120;
const MOST = 60;

/** Opens the palette; with `searching` it finds projects, boards, cards and objects alone. @param {{ searching?: boolean }} options */
export function openPalette({ searching = false } = {}) {
  if (document.querySelector("dialog[open]")) return;
  const label = searching ? text.palette.search : text.palette.title;
  const list = h("ul", { role: "listbox", id: "palette-list", "aria-label": label });
  const none = h("p", { class: "soft menu-none", role: "status" });
  const input = h("input", { type: "text", role: "combobox", "aria-expanded": "true", "aria-controls": "palette-list",
    "aria-autocomplete": "list", "aria-label": label, placeholder: !searching ? text.palette.typeTo : findsObjects() ? text.palette.searchFor : text.palette.searchOutside,
    autocomplete: "off", spellcheck: "false" });
  const dialog = h("dialog", { class: "palette", "aria-label": label }, input, list, none);
  // Those of the page as it was before the dialog took the focus.
  const before = /** @type {HTMLElement | null} */ (document.activeElement);
  // The page's own come first; what has their name is the same.
  const known = searching ? [] : actions().filter((action) => action.run && action.icon)
    .filter((action, at, all) => all.findIndex((one) => one.name === action.name) === at);
  /** @type {Choice[]} */
  let shown = [];
  /** @type {import("./recent.js").Place[]} */
  let places = [];
  let [at, turn, timer, waits] = [0, 0, 0, false];

  /** @param {import("./recent.js").Place} place @returns {Choice} */
  const placeChoice = (place) => ({ ...place, id: place.href, run: () => {
    note(place);
    open(place.href);
  } });

  function draw() {
    const query = input.value.trim().toLocaleLowerCase();
    const acts = known.filter((action) => action.name.toLocaleLowerCase().includes(query)).map((action) => ({
      name: action.name, where: action.group ?? "", icon: action.icon ?? "open", key: action.key, id: action.name,
      run: () => {
        note(action.name);
        // An action works on what had the focus.
        before?.focus({ preventScroll: true });
        return action.run?.();
      } }));
    const remembered = recent().filter((one) => typeof one !== "string");
    const found = query ? places : [...remembered, ...places.filter((one) => !remembered.some(({ href }) => href === one.href))];
    const ranked = [...acts, ...found.map(placeChoice)]
      .map((choice, order) => ({ choice, order, rank: rankOf(choice.id), begins: choice.name.toLocaleLowerCase().startsWith(query) ? 0 : 1 }))
      .sort((one, other) => one.rank - other.rank || one.begins - other.begins || one.order - other.order);
    shown = ranked.slice(0, MOST).map(({ choice }) => choice);
    at = Math.max(0, Math.min(at, shown.length - 1));
    fill(list, shown.map((choice, index) => h("li", { role: "option", id: `palette-${index}`, class: "option",
      "aria-selected": String(index === at), onclick: () => choose(index) }, icon(choice.icon),
    h("span", { class: "name", dir: "auto" }, choice.name), h("span", { class: "where", dir: "auto" }, choice.where),
    choice.key ? h("kbd", {}, choice.key) : null)));
    list.hidden = shown.length === 0;
    fill(none, shown.length > 0 ? "" : waits ? text.palette.searching : query ? `${text.palette.none} ${findsObjects() ? "" : text.palette.noObjects}` : text.palette.begin);
    none.hidden = shown.length > 0;
    select(at);
  }

  /** @param {number} index */
  function select(index) {
    at = index;
    [...list.children].forEach((item, own) => item.setAttribute("aria-selected", String(own === at)));
    if (shown.length > 0) input.setAttribute("aria-activedescendant", `palette-${at}`);
    else input.removeAttribute("aria-activedescendant");
    list.children[at]?.scrollIntoView({ block: "nearest" });
  }

  /** @param {number} index */
  function choose(index) {
    const choice = shown[index];
    if (!choice) return;
    dialog.close();
    void choice.run();
  }

  function find() {
    clearTimeout(timer);
    waits = true;
    timer = window.setTimeout(async () => {
      const own = ++turn;
      const found = await findPlaces(input.value.trim()).catch(() => []);
      if (own !== turn) return;
      [places, waits] = [found, false];
      draw();
    }, input.value ? SEARCH_MS : 0);
  }

  input.addEventListener("input", () => {
    at = 0;
    find();
    draw();
  });
  input.addEventListener("keydown", (event) => {
    const count = Math.max(1, shown.length);
    /** @type {Record<string, () => void>} */
    const keys = { ArrowDown: () => select((at + 1) % count), ArrowUp: () => select((at - 1 + count) % count), Enter: () => choose(at) };
    if (event.isComposing || !keys[event.key]) return;
    event.preventDefault();
    keys[event.key]();
  });
  dialog.addEventListener("click", (event) => {
    if (event.target === dialog) dialog.close();
  });
  dialog.addEventListener("close", () => {
    clearTimeout(timer);
    turn += 1;
    dialog.remove();
  });
  document.body.append(dialog);
  dialog.showModal();
  forgetPlaces();
  find();
  draw();
}

/** Shows the keys of the page. */
export function openKeys() {
  if (document.querySelector("dialog[open]")) return;
  /** @type {Map<string, import("./actions.js").Action[]>} */
  const groups = new Map();
  for (const action of actions().filter(({ key }) => key)) {
    const group = action.group ?? text.palette.everywhere;
    groups.set(group, [...(groups.get(group) ?? []), action]);
  }
  const close = h("button", { type: "button", class: "button", onclick: () => dialog.close() }, text.close);
  const dialog = h("dialog", { class: "keys-dialog", "aria-labelledby": "keys-title" }, h("div", { class: "form" },
    h("h2", { id: "keys-title" }, text.palette.keys),
    h("div", { class: "keys" }, [...groups].map(([group, own]) => h("section", {}, h("h3", {}, group),
      h("dl", {}, own.map((action) => [h("dt", {}, action.name), h("dd", {}, h("kbd", {}, action.key))]).flat())))),
    h("div", { class: "actions" }, close)));
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
}
