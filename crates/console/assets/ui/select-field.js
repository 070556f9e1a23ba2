// A choice among named values.

import { h } from "./dom.js";

/**
 * A list to choose from, with its label above.
 * @param {{ label: string, name: string, options: [string, string][], value?: string, help?: string }} options
 */
export function selectField({ label, name, options, value, help }) {
  const id = `field-${name}`;
  const list = h("select", { id, name, "aria-describedby": help ? `${id}-help` : undefined },
    options.map(([own, said]) => h("option", { value: own }, said)));
  if (value !== undefined) list.value = value;
  return h("div", { class: "field" }, h("label", { for: id }, label), list,
    help ? h("p", { class: "help", id: `${id}-help` }, help) : null);
}

/**
 * A role in a list, changed in place, or as text where `disabled`. A refusal puts the old one back.
 * @param {{ label: string, roles: [string, string][], value: string, disabled?: boolean,
 *   change: (role: string) => Promise<void> }} options
 */
export function roleSelect({ label, roles, value, disabled = false, change }) {
  if (disabled) return h("span", { class: "soft role" }, roles.find(([own]) => own === value)?.[1] ?? value);
  let before = value;
  const list = h("select", { "aria-label": label, class: "role", onchange: async () => {
    list.disabled = true;
    try {
      await change(list.value);
      before = list.value;
    } catch {
      list.value = before;
    } finally {
      list.disabled = false;
    }
  } }, roles.map(([own, said]) => h("option", { value: own }, said)));
  list.value = value;
  return list;
}
