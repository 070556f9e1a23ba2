// The first project of a person: a name or files, and the project opens with them in its tree.

import { newKey, post } from "../../api/client.js";
import { beginSteps } from "../../api/first-steps.js";
import { sendFiles } from "../../api/uploads.js";
import { open } from "../../router.js";
import { text } from "../../text.js";
import { button, fill, h, icon } from "../../ui/dom.js";
import { field } from "../../ui/dialog.js";

/** The question that a person without a project is asked. @param {any[]} organizations @param {Node} owner */
export function begin(organizations, owner) {
  const key = newKey();
  /** @type {File[]} */
  let files = [];
  const failure = h("p", { class: "failure", role: "alert" });
  const list = h("ul", { class: "soft", "aria-live": "polite" });
  const picker = h("input", { type: "file", multiple: true, hidden: true, "aria-label": text.begin.choose,
    onchange: () => take([...(picker.files ?? [])]) });
  const place = h("div", { class: "begin-drop" }, icon("upload"), h("p", {}, text.begin.drop),
    button({ name: text.begin.choose, onclick: () => picker.click() }), picker, list);
  const submit = button({ name: text.begin.makes, kind: "primary", type: "submit" });
  const form = h("form", { class: "begin" }, h("h1", {}, text.begin.title), h("p", { class: "lead" }, text.projects.empty),
    field({ label: text.projects.name, name: "name", required: true }),
    organizations.length > 0 ? owner : null, place, failure, h("div", {}, submit));
  const name = /** @type {HTMLInputElement} */ (form.elements.namedItem("name"));

  /** @param {File[]} more */
  function take(more) {
    files = [...files, ...more];
    fill(list, files.map((file) => h("li", { dir: "auto" }, file.name)));
    if (!name.value && files[0]) name.value = files[0].name.replace(/\.[^.]*$/, "");
  }
  place.addEventListener("dragover", (event) => {
    event.preventDefault();
    place.classList.add("lit");
  });
  place.addEventListener("dragleave", () => place.classList.remove("lit"));
  place.addEventListener("drop", (event) => {
    event.preventDefault();
    place.classList.remove("lit");
    take([...(event.dataTransfer?.files ?? [])]);
  });
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    submit.disabled = true;
    fill(failure);
    try {
      const orgId = String(new FormData(form).get("owner") ?? "") || undefined;
      const { id } = await post("/projects", { name: name.value, orgId }, { key });
      const href = `/projects/${id}`;
      void sendFiles({ place: id, href }, files.map((file) => ({ file, path: file.name })), id);
      beginSteps(id, files.length > 0);
      open(href);
    } catch (error) {
      submit.disabled = false;
      fill(failure, error instanceof Error ? error.message : String(error));
    }
  });
  return form;
}
