// A form in the page: saved by its button, with the refusal above it.

import { button, fill, h } from "./dom.js";
import { reasonIn } from "./dialog.js";
import { toast } from "./toast.js";

/** @param {{ fields: Node[], action: string, done: string, disabled?: boolean,
 *   send: (form: FormData) => Promise<void> }} options `disabled` shows the fields to those who may not change them
 */
export function form({ fields, action, done, disabled = false, send }) {
  const failure = h("p", { class: "failure", role: "alert" });
  const submit = button({ name: action, kind: "primary", type: "submit" });
  const element = h("form", { class: "form narrow" }, fields, failure, disabled ? null : h("div", {}, submit));
  if (disabled) for (const one of element.elements) one.setAttribute("disabled", "");
  element.addEventListener("submit", async (event) => {
    event.preventDefault();
    submit.disabled = true;
    fill(failure);
    try {
      await send(new FormData(element));
      toast(done);
    } catch (error) {
      fill(failure, reasonIn(element, error));
    } finally {
      submit.disabled = false;
    }
  });
  return element;
}
