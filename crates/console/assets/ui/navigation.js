// The navigation of a place, at the left of its content.

import { h, icon } from "./dom.js";

/**
 * The entries of a place's navigation.
 * @param {{ name: string, href: string, icon: string, here?: boolean }[]} entries
 */
export function navigation(entries) {
  return h("ul", { class: "places" }, entries.map((entry) => h("li", {},
    h("a", { href: entry.href, "aria-current": entry.here ? "page" : undefined }, icon(entry.icon),
      h("span", { dir: "auto" }, entry.name)))));
}
