// Fields of objects: their names in words, their values as text, and in which of them two states differ.

import { text } from "../text.js";

/** @typedef {{ field: string, base?: unknown, head?: unknown }} Field */

/** The name of a field for people. @param {string} field */
export function fieldName(field) {
  const known = /** @type {Record<string, string>} */ (text.versions.fields)[field];
  if (known) return known;
  return field.replace(/^\/data\//, "").split("/").map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~")).join(" › ");
}

/** A value as text. @param {unknown} value */
export function said(value) {
  return typeof value === "string" ? value : JSON.stringify(value, null, 1) ?? "";
}

/** The fields of an object as a comparison names them. @param {any} object @returns {Map<string, unknown>} */
function fieldsOf(object) {
  const fields = new Map();
  for (const [name, value] of Object.entries(object ?? {})) {
    if (name === "data") nested("/data", value);
    else if (name !== "id") fields.set(`/${name}`, value);
  }
  return fields;

  /** @param {string} path @param {any} value */
  function nested(path, value) {
    const properties = value && typeof value === "object" && !Array.isArray(value) ? Object.entries(value) : null;
    if (!properties || (properties.length === 0 && path !== "/data")) fields.set(path, value);
    else for (const [name, one] of properties) nested(`${path}/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`, one);
  }
}

/** The fields in which two states of an object differ; of a side that is absent all. @param {any} base @param {any} head @returns {Field[]} */
export function differingFields(base, head) {
  const [before, after] = [fieldsOf(base), fieldsOf(head)];
  return [...new Set([...before.keys(), ...after.keys()])]
    .filter((field) => JSON.stringify(before.get(field)) !== JSON.stringify(after.get(field)))
    .map((field) => ({ field, base: before.get(field), head: after.get(field) }));
}
