// The properties of an object: read as a list, and edited in rows of name and value. Nested values are edited as JSON.

import { text } from "../../text.js";
import { codeView } from "../../ui/code.js";
import { ask } from "../../ui/dialog.js";
import { button, fill, h } from "../../ui/dom.js";
import { prettyJson } from "../../ui/json.js";

/** @typedef {"text" | "number" | "truth" | "nested"} Kind */
/** @typedef {Record<string, any>} Data */

/** @param {unknown} value @returns {Kind} */
function kindOf(value) {
  return typeof value === "string" ? "text" : typeof value === "number" ? "number" : typeof value === "boolean" ? "truth" : "nested";
}

/** @param {Data} data */
export function propertyList(data) {
  return h("dl", { class: "facts" }, Object.entries(data).map(([name, value]) => [h("dt", { dir: "auto" }, name),
    kindOf(value) === "nested" ? h("dd", {}, codeView(prettyJson(value), "json", name))
      : h("dd", { dir: "auto" }, typeof value === "boolean" ? text.properties.truth[String(value)] : String(value))]).flat());
}

/** Asks for the properties; `send` gets all of them. @param {Data} data @param {(wanted: Data) => Promise<void>} send */
export function askProperties(data, send) {
  const place = h("div", { class: "properties-edited" });
  const failure = h("p", { class: "failure", role: "alert" });
  const toggle = button({ name: "", kind: "plain", onclick: () => {
    fill(failure);
    try {
      show(read(), !isJson);
    } catch (error) {
      fill(failure, error instanceof Error ? error.message : String(error));
    }
  } });
  let isJson = false;
  let read = () => data;

  /** @param {Data} values @param {boolean} asJson */
  function show(values, asJson) {
    isJson = asJson;
    const { element, values: now } = asJson ? jsonField(values) : rows(values);
    read = now;
    fill(place, element);
    fill(toggle, asJson ? text.properties.asRows : text.properties.asJson);
    const first = place.querySelector("#field-json, .property-value :is(input, select, textarea)") ?? place.querySelector("button:last-child");
    /** @type {HTMLElement | null} */ (first)?.focus();
  }

  const dialog = ask({ title: text.properties.edit, action: text.files.saves, fields: [place, failure, h("div", {}, toggle)],
    send: () => send(read()) });
  dialog.classList.add("wide");
  show(data, false);
}

/** @param {Data} data */
function jsonField(data) {
  const input = h("textarea", { id: "field-json", name: "json", rows: 12, spellcheck: "false", value: prettyJson(data) });
  return {
    element: h("div", { class: "field" }, h("label", { for: "field-json" }, text.files.json), input),
    values: () => parsed(input.value),
  };
}

/** @param {Data} data */
function rows(data) {
  const list = h("ul", { class: "property-rows" });
  /** @type {Map<Element, () => [string, unknown]>} */
  const readers = new Map();
  const add = button({ name: text.properties.add, icon: "plus", onclick: () => append("", "").focus() });

  /** @param {string} key @param {unknown} value */
  function append(key, value) {
    const { element, name, read } = row(key, value, () => add.focus());
    readers.set(element, read);
    list.append(element);
    return name;
  }
  for (const [key, value] of Object.entries(data)) append(key, value);
  return {
    element: h("div", { class: "field" }, list, h("div", {}, add)),
    values() {
      /** @type {Map<string, unknown>} */
      const found = new Map();
      for (const element of list.children) {
        const [name, value] = /** @type {() => [string, unknown]} */ (readers.get(element))();
        if (!name) throw new Error(text.properties.noName);
        if (found.has(name)) throw new Error(text.properties.twice(name));
        found.set(name, value);
      }
      return Object.fromEntries(found);
    },
  };
}

/** A row for a property. @param {string} key @param {unknown} first @param {() => void} removed */
function row(key, first, removed) {
  const name = h("input", { value: key, required: true, autocomplete: "off", "aria-label": text.properties.name });
  const place = h("span", { class: "property-value" });
  const kinds = Object.entries(text.properties.kinds);
  const kind = h("select", { "aria-label": text.properties.kind, onchange: () => {
    // What fits the new kind stays.
    const before = String(read()[1]);
    show(kind.value === "number" ? Number(before) || 0 : kind.value === "truth" ? before === "true" : before);
  } }, kinds.map(([value, said]) => h("option", { value }, said)));
  let value = () => first;

  /** @param {unknown} shown */
  function show(shown) {
    const shared = { "aria-label": text.properties.value, autocomplete: "off" };
    if (typeof shown === "boolean") {
      const input = h("select", shared,
        Object.entries(text.properties.truth).map(([one, said]) => h("option", { value: one, selected: one === String(shown) }, said)));
      value = () => input.value === "true";
      fill(place, input);
    } else if (typeof shown === "number") {
      const input = h("input", { ...shared, type: "number", step: "any", required: true, value: shown });
      value = () => Number(input.value);
      fill(place, input);
    } else if (typeof shown === "string") {
      const input = shown.includes("\n") ? h("textarea", { ...shared, rows: 4, value: shown }) : h("input", { ...shared, value: shown });
      value = () => input.value;
      fill(place, input);
    }
  }
  const read = () => /** @type {[string, unknown]} */ ([name.value.trim(), value()]);

  const remove = button({ name: text.properties.remove, icon: "close", kind: "plain small", quiet: true, onclick: () => {
    element.remove();
    removed();
  } });
  const isNested = kindOf(first) === "nested";
  const element = h("li", {}, name, isNested ? h("span", { class: "soft" }, text.properties.nested) : kind,
    isNested ? h("code", { class: "property-value soft", title: text.properties.nestedHelp }, JSON.stringify(first)) : place, remove);
  if (!isNested) kind.value = kindOf(first);
  show(first);
  return { element, name, read };
}

/** @param {string} json @returns {Data} */
function parsed(json) {
  let value;
  try {
    value = JSON.parse(json);
  } catch (error) {
    throw new Error(`${text.files.notJson} ${error instanceof Error ? error.message : ""}`);
  }
  if (!value || typeof value !== "object" || Array.isArray(value)) throw new Error(text.files.notJson);
  return value;
}
