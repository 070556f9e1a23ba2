// Conflicts of a merge or a revert, decided by clicking: both sides of each field, and one of them taken.

import { get } from "../api/client.js";
import { text } from "../text.js";
import { fieldName, said } from "./fields.js";
import { fill, h, size } from "./dom.js";
import { lineView } from "./lines.js";

/**
 * @typedef {{ objectId: string, field: string, kind: string, base?: unknown, ours?: unknown, theirs?: unknown }} Conflict
 * @typedef {{ objectId: string, field: string, take: string }} Resolution
 */

/**
 * The conflicts with their choices. `decided` hears each time whether all of them are, with the resolutions so far.
 * `theirPlace` is the branch whose commit is the other side, if one is.
 * `nameOf` knows objects that neither side has any more.
 * @param {{ place: string, theirPlace?: string, conflicts: Conflict[], ours: string, theirs: string,
 *   nameOf?: (id: string) => string | undefined,
 *   decided: (resolutions: Resolution[], all: boolean) => void }} options
 */
export function conflictList({ place, theirPlace, conflicts, ours, theirs, nameOf, decided }) {
  /** @type {Map<number, Resolution>} */
  const taken = new Map();
  /** @type {Map<string, Node[]>} */
  const objects = new Map();
  conflicts.forEach((conflict, at) => {
    const { objectId, field, kind } = conflict;
    const whole = kind === "deleted" || kind === "deletedParent";
    const sides = whole ? [["keep", text.merge.keep, undefined], ["delete", text.merge.delete, undefined]]
      : [["ours", text.merge.ours(ours), conflict.ours], ["theirs", text.merge.theirs(theirs), conflict.theirs]];
    const choices = h("fieldset", { class: "conflict" },
      h("legend", {}, whole ? text.merge.kinds[kind] : fieldName(field)),
      whole || conflict.base === undefined || isText(conflict.base) ? null : h("p", { class: "conflict-base" }, `${text.versions.before}: `,
        h("span", { class: "conflict-value", dir: "auto" }, field === "/file" ? fileSaid(conflict.base) : said(conflict.base))),
      h("div", { class: "conflict-sides" }, sides.map(([take, name, value]) => h("label", { class: "conflict-side" },
        h("span", { class: "check" }, h("input", { type: "radio", name: `conflict-${at}`, value: String(take), onchange: () => {
          taken.set(at, { objectId, field, take: String(take) });
          decided([...taken.values()], taken.size === conflicts.length);
        } }), h("span", { dir: "auto" }, String(name))),
        whole ? null : value === undefined ? h("span", { class: "soft" }, text.merge.absent)
          : h("span", { class: "conflict-value", dir: "auto" }, field === "/file" ? fileSaid(value) : said(value))))),
      field === "/file" && theirPlace ? textsOf(objectId, place, theirPlace) : null,
      typeof conflict.ours === "string" && typeof conflict.theirs === "string" && conflict.ours.includes("\n")
        ? lineView(conflict.ours, conflict.theirs, fieldName(field)) : null);
    const list = objects.get(objectId);
    if (list) list.push(choices);
    else objects.set(objectId, [choices]);
  });
  /** The name on one's own side, or on the other one if that alone has the object. @param {string} id */
  async function named(id) {
    const paths = [`${place}/objects/${id}`, `${place}/objects/${id}?committed=true`,
      ...(theirPlace ? [`${theirPlace}/objects/${id}?committed=true`] : [])];
    for (const path of paths) {
      const found = await get(`/projects/${path}`).catch(() => null);
      if (found) return found.object.name;
    }
    throw new Error(id);
  }
  return h("div", { class: "conflicts" }, [...objects].map(([id, choices]) => {
    const name = h("h2", { class: "conflict-object", dir: "auto" }, nameOf?.(id) ?? text.merge.object);
    void named(id).then((found) => fill(name, found), () => {});
    return h("section", {}, name, choices);
  }));
}

/** Texts of several lines are compared by lines. @param {unknown} value */
function isText(value) {
  return typeof value === "string" && value.includes("\n");
}

/** @param {any} file */
function fileSaid(file) {
  return `${size(file.size)}, ${file.mimeType}`;
}

/**
 * The texts that conversions read from two files, by lines. They belong to their files, so they aren't conflicts.
 * @param {string} objectId @param {string} place @param {string} theirPlace
 */
function textsOf(objectId, place, theirPlace) {
  const shown = h("div", {});
  const read = (/** @type {string} */ side) => get(`/projects/${side}/objects/${objectId}?committed=true`);
  void Promise.all([read(place), read(theirPlace)]).then(([{ object: our }, { object: their }]) => {
    const [before, after] = [our.data.text, their.data.text];
    if (typeof before === "string" && typeof after === "string") fill(shown, lineView(before, after, our.name));
  }, () => {});
  return shown;
}
