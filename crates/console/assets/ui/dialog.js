// Dialogs on the platform's own element: focus, Escape and the background are the browser's work.

import { ApiError } from "../api/client.js";
import { sendByKey } from "./actions.js";
import { button, fill, h } from "./dom.js";
import { text } from "../text.js";

/**
 * Asks by a form, and closes once `send` has succeeded. Nothing typed is lost by a refusal. It stands at the field that it
 * is about, or above the buttons; `about` names the field where the service doesn't.
 * @param {{ title: string, action: string, fields: Node[], send: (form: FormData) => Promise<void>,
 *   about?: (error: unknown) => string | undefined, danger?: boolean }} options `danger` is for what can't be undone
 */
export function ask({ title, action, fields, send, about, danger = false }) {
  const failure = h("p", { class: "failure", role: "alert", id: "dialog-failure" });
  const submit = button({ name: action, kind: danger ? "primary destroys" : "primary", type: "submit" });
  const end = h("div", { class: "actions" }, button({ name: text.cancel, onclick: () => dialog.close() }), submit);
  const form = h("form", { method: "dialog", class: "form" }, h("h2", { id: "dialog-title" }, title), ...fields, failure, end);
  const dialog = h("dialog", { "aria-labelledby": "dialog-title" }, form);
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    submit.disabled = true;
    fill(failure);
    form.querySelector("[aria-invalid]")?.removeAttribute("aria-invalid");
    try {
      await send(new FormData(form));
      dialog.close();
    } catch (error) {
      const control = controlOf(form, about?.(error) ?? fieldOf(error));
      const place = control?.closest(".field");
      if (place) place.append(failure);
      else end.before(failure);
      control?.setAttribute("aria-invalid", "true");
      control?.setAttribute("aria-errormessage", failure.id);
      control?.focus();
      fill(failure, reasonIn(form, error, control));
    } finally {
      submit.disabled = false;
    }
  });
  sendByKey(form, () => { if (!submit.disabled) form.requestSubmit(); });
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
  return dialog;
}

/**
 * A refusal in the words of a form: its fields are named by their labels. `about` is the control that it is about, where
 * that has another name.
 * @param {HTMLFormElement} form @param {unknown} error @param {HTMLElement | null} [about]
 */
export function reasonIn(form, error, about = null) {
  if (error instanceof ApiError) {
    return error.say((name) => /** @type {any} */ (controlOf(form, name) ?? about)?.labels?.[0]?.textContent);
  }
  return error instanceof Error ? error.message : String(error);
}

/** The field of the body that a refusal is about, if it is about one. @param {unknown} error */
function fieldOf(error) {
  const issues = error instanceof ApiError ? error.details.issues ?? [] : [];
  return issues.length === 1 ? issues[0].path.replace(/^body\./, "") : undefined;
}

/** @param {HTMLFormElement} form @param {string | undefined} name */
function controlOf(form, name) {
  const found = name ? form.elements.namedItem(name) : null;
  return found instanceof HTMLElement ? found : null;
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
