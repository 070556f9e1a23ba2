// The filters of a board, as chips in its address.

import { remember } from "../../router.js";
import { text } from "../../text.js";
import { button, fill, h, icon, mark } from "../../ui/dom.js";
import { isLate } from "../../ui/due.js";
import { dot, menu } from "../../ui/menu.js";

/** @typedef {import("./column.js").Card} Card @typedef {import("../../ui/menu.js").Entry} Entry */

const NAMES = ["assignee", "tag", "due", "state", "q"];
const TYPING_MS = 120;
const WEEK_MS = 7 * 86_400_000;

/**
 * The row of filters above a board.
 * @param {URLSearchParams} search @param {() => Card[]} cards @param {() => void} changed
 */
export function filterRow(search, cards, changed) {
  /** @type {Record<string, string>} */
  let wanted = {};
  const chips = h("ul", { class: "chips" });
  const input = h("input", { type: "search", "aria-label": text.filters.find, placeholder: text.filters.find });
  const choose = button({ name: text.filters.filter, icon: "filter", kind: "plain", onclick: open });
  const clear = button({ name: text.filters.clear, kind: "plain", onclick: () => set({}) });
  const shown = h("span", { class: "soft", role: "status" });
  choose.setAttribute("aria-haspopup", "menu");
  let timer = 0;
  input.addEventListener("input", () => {
    clearTimeout(timer);
    timer = window.setTimeout(() => set({ ...wanted, q: input.value.trim() }), TYPING_MS);
  });
  input.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    event.stopPropagation();
    input.blur();
  });

  /** @param {Record<string, string>} now */
  function set(now) {
    wanted = Object.fromEntries(Object.entries(now).filter(([, value]) => value));
    for (const name of NAMES) remember(name, wanted[name] ?? null);
    if (input.value.trim() !== (wanted.q ?? "")) input.value = wanted.q ?? "";
    draw();
    changed();
  }

  /** A person or a tag with an id, of the first card that has it. @template {{ id: string }} T @param {(card: Card) => T[]} of @param {string} id */
  const one = (of, id) => cards().flatMap((card) => of(card).find((known) => known.id === id) ?? [])[0];

  function draw() {
    /** @type {[string, string, Node | null][]} */
    const said = [];
    const { assignee, tag, due, state } = wanted;
    if (assignee) {
      const person = one((card) => card.assignees, assignee);
      const name = assignee === "none" ? text.filters.nobody : person?.display_name ?? text.card.former;
      said.push(["assignee", name, assignee === "none" ? null : mark(name)]);
    }
    if (tag) {
      const known = one((card) => card.tags, tag);
      said.push(["tag", known?.name ?? text.card.goneTag, dot(known?.color ?? "")]);
    }
    if (due) said.push(["due", /** @type {any} */ (text.filters.due)[due] ?? due, null]);
    if (state) said.push(["state", /** @type {any} */ (text.filters.state)[state] ?? state, null]);
    fill(chips, said.map(([name, value, lead]) => h("li", { class: "chip" }, lead, h("span", { dir: "auto" }, value),
      button({ name: text.filters.remove(value), icon: "close", kind: "plain small", quiet: true,
        onclick: () => {
          set({ ...wanted, [name]: "" });
          choose.focus();
        } }))));
    clear.hidden = Object.keys(wanted).length === 0;
    shown.hidden = clear.hidden;
    fill(shown, clear.hidden ? null : text.filters.shown(cards().filter(fits).length, cards().length));
  }

  function open() {
    const people = new Map(cards().flatMap((card) => card.assignees.map((one) => [one.id, one.display_name])));
    const tags = new Map(cards().flatMap((card) => card.tags.map((one) => [one.id, one])));
    /** @param {string} name @param {string} value @param {string} label @param {() => Node} [lead] @returns {Entry} */
    const entry = (name, value, label, lead) => ({ name: label, lead, part: name, checked: wanted[name] === value,
      run: () => set({ ...wanted, [name]: wanted[name] === value ? "" : value }) });
    menu(choose, {
      label: text.filters.filter, find: text.filters.by,
      entries: [
        ...[...people].map(([id, name]) => entry("assignee", id, name, () => mark(name))),
        entry("assignee", "none", text.filters.nobody),
        ...[...tags].map(([id, tag]) => entry("tag", id, tag.name, () => dot(tag.color))),
        ...Object.entries(text.filters.due).map(([value, label]) => entry("due", value, label, () => icon("calendar"))),
        ...Object.entries(text.filters.state).map(([value, label]) => entry("state", value, label)),
      ],
    });
  }

  /** Whether a card passes. @param {Card} card */
  function fits(card) {
    const { assignee, tag, due, state, q } = wanted;
    if (assignee === "none" ? card.assignees.length > 0 : assignee && !card.assignees.some((one) => one.id === assignee)) return false;
    if (tag && !card.tags.some((one) => one.id === tag)) return false;
    if (state && card.is_open !== (state === "open")) return false;
    if (q && !card.name.toLocaleLowerCase().includes(q.toLocaleLowerCase())) return false;
    if (!due) return true;
    if (due === "none") return card.deadline === null;
    if (card.deadline === null) return false;
    const late = isLate(card.deadline);
    return due === "late" ? card.is_open && late : !late && new Date(card.deadline).getTime() - Date.now() < WEEK_MS;
  }

  /** @param {URLSearchParams} from */
  function read(from) {
    wanted = Object.fromEntries(NAMES.flatMap((name) => {
      const value = from.get(name);
      return value ? [[name, value]] : [];
    }));
    input.value = wanted.q ?? "";
  }

  read(search);
  return {
    element: h("div", { class: "filters", role: "group", "aria-label": text.filters.filter },
      h("label", { class: "search" }, icon("search"), input), choose, chips, clear, shown),
    fits, draw, open, read, clear: () => set({}),
    close: () => clearTimeout(timer),
  };
}
