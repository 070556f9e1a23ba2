// The choice of a key's scopes: a level for each kind of thing, in words, and sets for common purposes.

import { text } from "../../text.js";
import { button, h } from "../../ui/dom.js";

/** The kinds of things with their levels; each level includes those before it. @type {[string, string[]][]} */
const ladders = [["projects", ["read", "write", "manage"]], ["cards", ["read", "write", "manage"]],
  ["teams", ["read", "write", "manage"]], ["usage", ["read"]]];

/** @type {[keyof typeof text.keys.sets, Record<string, string>][]} */
const sets = [
  ["read", { projects: "read", cards: "read", teams: "read" }],
  ["upload", { projects: "write" }],
  ["plan", { projects: "read", cards: "write", teams: "write" }],
  ["all", { projects: "manage", cards: "manage", teams: "manage", usage: "read" }],
];

/** The fields, and the scopes that are chosen in them. */
export function scopeFields() {
  const lists = ladders.map(([kind, levels]) => {
    const list = h("select", { id: `scope-${kind}`, "aria-describedby": `scope-${kind}-help` },
      ["", ...levels].map((level) => h("option", { value: level }, text.keys.levels[level])));
    const says = h("p", { class: "help", id: `scope-${kind}-help` });
    const say = () => { says.textContent = text.keys.scopes[`${kind}:${list.value}`] ?? text.keys.nothing; };
    list.addEventListener("change", say);
    say();
    return { kind, list, say, row: h("div", { class: "scope" },
      h("label", { for: `scope-${kind}` }, text.keys.kinds[kind]), says, list) };
  });
  /** @param {Record<string, string>} levels */
  const choose = (levels) => {
    for (const { kind, list, say } of lists) {
      list.value = levels[kind] ?? "";
      say();
    }
  };
  choose(sets[0][1]);
  return {
    element: h("fieldset", { class: "scopes" }, h("legend", {}, text.keys.mayDo),
      h("div", { class: "sets" }, sets.map(([name, levels]) =>
        button({ name: text.keys.sets[name], onclick: () => choose(levels) }))),
      lists.map(({ row }) => row)),
    scopes: () => lists.filter(({ list }) => list.value).map(({ kind, list }) => `${kind}:${list.value}`),
  };
}

/** Scopes in words. @param {string[]} scopes */
export function scopeWords(scopes) {
  return scopes.map((scope) => {
    const [kind, level] = scope.split(":");
    return `${text.keys.kinds[kind] ?? kind}: ${(text.keys.levels[level] ?? level).toLowerCase()}`;
  }).join(", ");
}
