// A person or a service account in a list.

import { h, icon, mark } from "./dom.js";
import { text } from "../text.js";

/**
 * An entry of a list: a mark, a name with something below it, and what can be done at the end.
 * @param {{ name: string, below?: (Node | string | null)[], kind?: string, self?: boolean }} who
 * @param {...(Node | null)} acts
 */
export function personEntry({ name, below = [], kind = "person", self = false }, ...acts) {
  const sign = mark(name);
  sign.setAttribute("aria-hidden", "true");
  sign.removeAttribute("role");
  sign.removeAttribute("aria-label");
  return h("li", { class: "entry" }, kind === "person" ? sign : icon(kind === "service" ? "robot" : kind),
    h("div", { class: "who" }, h("span", { class: "name", dir: "auto" }, name,
      self ? h("span", { class: "soft" }, ` ${text.people.you}`) : null),
      h("span", { class: "soft" }, below)),
    h("div", { class: "acts" }, acts));
}

/** A list of entries, or what belongs there. @param {Node[]} entries @param {string} label @param {string} empty */
export function entries(entries, label, empty) {
  return entries.length > 0 ? h("ul", { class: "entries", "aria-label": label }, entries)
    : h("p", { class: "soft none" }, empty);
}

/** What a refusal says. @param {unknown} error */
export function reason(error) {
  return error instanceof Error ? error.message : String(error);
}
