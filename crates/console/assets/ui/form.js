// A form in the page: saved by its button, with the refusal above it.

import { button, fill, h } from "./dom.js";
import { toast } from "./toast.js";

/** @param {{ fields: Node[], action: string, done: string, send: (form: FormData) => Promise<void> }} options */
export function form({ fields, action, done, send }) {
  const failure = h("p", { class: "failure", role: "alert" });
  const submit = button({ name: action, kind: "primary", type: "submit" });
  const element = h("form", { class: "form narrow" }, fields, failure, h("div", {}, submit));
  element.addEventListener("submit", async (event) => {
    event.preventDefault();
    submit.disabled = true;
    fill(failure);
    try {
      await send(new FormData(element));
      toast(done);
    } catch (error) {
      fill(failure, error instanceof Error ? error.message : String(error));
    } finally {
      submit.disabled = false;
    }
  });
  return element;
}
