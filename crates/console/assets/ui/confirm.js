// Questions before something goes for good.

import { ask, field } from "./dialog.js";
import { h } from "./dom.js";
import { text } from "../text.js";

/**
 * Asks before an act, and says what goes with it. With `name`, the person types it first. `danger` is false where nothing
 * goes.
 * @param {{ title: string, says: string, action: string, name?: string, danger?: boolean,
 *   send: () => Promise<void> }} options
 */
export function confirm({ title, says, action, name, danger = true, send }) {
  return ask({
    title,
    action,
    danger,
    fields: [h("p", {}, says), ...(name ? [h("p", { class: "typed", dir: "auto" }, name),
      field({ label: text.people.typeName, name: "confirmation", required: true })] : [])],
    async send(form) {
      if (name && String(form.get("confirmation")).trim() !== name.trim()) throw new Error(text.people.otherName);
      await send();
    },
  });
}
