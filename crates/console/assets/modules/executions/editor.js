// A box for code: that of a Code object of the tree, or of a new one. What is typed is kept in the tab.

import { get, newKey, patch, post } from "../../api/client.js";
import { remember } from "../../router.js";
import { text } from "../../text.js";
import { button, fill, h } from "../../ui/dom.js";

/**
 * @typedef {{ at: string, first: string, tree: { id: string, name: string }[], made: (id: string, name: string) => void,
 *   run: (object: string, input: object, key: string) => Promise<void> }} Options
 */

/** @param {Options} options */
export function editor({ at, first, tree, made, run }) {
  const draft = () => `code:${at}:${object.value}`;
  const label = (/** @type {string} */ name, /** @type {HTMLElement} */ control) =>
    h("label", { class: "field" }, h("span", {}, name), control);
  const object = h("select", { name: "object", onchange: () => void load() }, h("option", { value: "" }, text.executions.fresh),
    tree.map(({ id, name }) => h("option", { value: id, selected: id === first }, name)));
  const name = h("input", { name: "name", value: "script.js", required: true, autocomplete: "off" });
  const language = h("select", { name: "language" },
    Object.entries(text.executions.languages).map(([value, said]) => h("option", { value }, said)));
  const source = h("textarea", { name: "code", rows: 10, class: "code-box", spellcheck: "false", autocapitalize: "off",
    oninput: () => sessionStorage.setItem(draft(), source.value) });
  const input = h("input", { name: "input", value: "{}", autocomplete: "off", spellcheck: "false", class: "code-box" });
  const failure = h("p", { class: "failure", role: "alert" });
  const start = button({ name: text.executions.run, icon: "run", kind: "primary", type: "submit" });
  const naming = h("div", { class: "form-row" }, label(text.executions.name, name), label(text.executions.language, language));
  const form = h("form", { class: "form editor" }, label(text.executions.object, object), naming,
    label(text.executions.code, source), label(text.executions.input, input), failure,
    h("div", { class: "actions" }, h("p", { class: "soft" }, text.executions.saves), start));
  let saved = "";
  // The creation, and the execution, of one try.
  let keys = [newKey(), newKey()];

  async function load() {
    const wanted = object.value;
    remember("object", wanted || null);
    naming.hidden = wanted !== "";
    fill(failure);
    source.value = sessionStorage.getItem(draft()) ?? "";
    if (!wanted) return;
    try {
      const { object: held } = await get(`${at}/objects/${wanted}`);
      if (object.value !== wanted) return;
      saved = String(held.data?.text ?? "");
      source.value = sessionStorage.getItem(draft()) ?? saved;
    } catch (error) {
      fill(failure, error instanceof Error ? error.message : String(error));
    }
  }

  async function objectOf() {
    if (object.value) {
      if (source.value !== saved) await patch(`${at}/objects/${object.value}`, { data: { text: source.value } });
      saved = source.value;
      sessionStorage.removeItem(draft());
      return object.value;
    }
    const body = { name: name.value, type: "Code", data: { language: language.value, text: source.value } };
    const { object: one } = await post(`${at}/objects`, body, { key: keys[0] });
    made(one.id, one.name);
    sessionStorage.removeItem(draft());
    object.append(h("option", { value: one.id }, one.name));
    object.value = one.id;
    remember("object", one.id);
    saved = source.value;
    naming.hidden = true;
    return one.id;
  }

  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    fill(failure);
    start.disabled = true;
    try {
      const value = parsed(input.value);
      await run(await objectOf(), value, keys[1]);
      keys = [newKey(), newKey()];
    } catch (error) {
      // Another body is another request.
      if (/** @type {any} */ (error).status > 0) keys = [newKey(), newKey()];
      fill(failure, error instanceof Error ? error.message : String(error));
    } finally {
      start.disabled = false;
    }
  });
  source.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    form.requestSubmit();
  });
  void load();
  return form;
}

/** @param {string} source @returns {object} */
function parsed(source) {
  try {
    const value = JSON.parse(source || "{}");
    if (value && typeof value === "object" && !Array.isArray(value)) return value;
  } catch {
    // The same words as for another kind of value.
  }
  throw new Error(text.executions.badInput);
}
