// Dialogs on the platform's own element: focus, Escape and the background are the browser's work.

import { button, fill, h } from "./dom.js";
import { text } from "../text.js";

/**
 * Asks by a form, and closes once `send` has succeeded. A refusal stands above the buttons; nothing typed is lost.
 * @param {{ title: string, action: string, fields: Node[], send: (form: FormData) => Promise<void> }} options
 */
export function ask({ title, action, fields, send }) {
  const failure = h("p", { class: "failure", role: "alert" });
  const submit = button({ name: action, kind: "primary", type: "submit" });
  const form = h("form", { method: "dialog", class: "form" },
    h("h2", { id: "dialog-title" }, title), ...fields, failure,
    h("div", { class: "actions" },
      button({ name: text.cancel, onclick: () => dialog.close() }), submit));
  const dialog = h("dialog", { "aria-labelledby": "dialog-title" }, form);
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    submit.disabled = true;
    fill(failure);
    try {
      await send(new FormData(form));
      dialog.close();
    } catch (error) {
      fill(failure, error instanceof Error ? error.message : String(error));
    } finally {
      submit.disabled = false;
    }
  });
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
  return dialog;
}

/**
 * A field with its label above and help below.
 * @param {{ label: string, name: string, help?: string, type?: string, value?: string, required?: boolean,
 *   rows?: number, autocomplete?: string }} options
 */
export function field({ label, name, help, type = "text", value = "", required = false, rows, autocomplete = "off" }) {
  const id = `field-${name}`;
  const shared = { id, name, required, autocomplete, "aria-describedby": help ? `${id}-help` : undefined };
  const input = rows ? h("textarea", { ...shared, rows, value }) : h("input", { ...shared, type, value });
  return h("div", { class: "field" }, h("label", { for: id }, label), input,
    help ? h("p", { class: "help", id: `${id}-help` }, help) : null);
}
