// Conflicts of a merge or a revert, decided by clicking: both sides of each field, and one of them taken.

import { get } from "../api/client.js";
import { text } from "../text.js";
import { fieldName, said } from "./fields.js";
import { fill, h } from "./dom.js";
import { lineView } from "./lines.js";

/**
 * @typedef {{ objectId: string, field: string, kind: string, base?: unknown, ours?: unknown, theirs?: unknown }} Conflict
 * @typedef {{ objectId: string, field: string, take: string }} Resolution
 */

/**
 * The conflicts with their choices. `decided` hears each time whether all of them are, with the resolutions so far.
 * @param {{ place: string, conflicts: Conflict[], ours: string, theirs: string,
 *   decided: (resolutions: Resolution[], all: boolean) => void }} options
 */
export function conflictList({ place, conflicts, ours, theirs, decided }) {
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
      h("div", { class: "conflict-sides" }, sides.map(([take, name, value]) => h("label", { class: "conflict-side" },
        h("span", { class: "check" }, h("input", { type: "radio", name: `conflict-${at}`, value: String(take), onchange: () => {
          taken.set(at, { objectId, field, take: String(take) });
          decided([...taken.values()], taken.size === conflicts.length);
        } }), h("span", { dir: "auto" }, String(name))),
        whole ? null : value === undefined ? h("span", { class: "soft" }, text.merge.absent)
          : h("span", { class: "conflict-value", dir: "auto" }, said(value))))),
      typeof conflict.ours === "string" && typeof conflict.theirs === "string" && conflict.ours.includes("\n")
        ? lineView(conflict.ours, conflict.theirs, fieldName(field)) : null);
    const list = objects.get(objectId);
    if (list) list.push(choices);
    else objects.set(objectId, [choices]);
  });
  return h("div", { class: "conflicts" }, [...objects].map(([id, choices]) => {
    const name = h("h2", { class: "conflict-object", dir: "auto" }, text.merge.object);
    void get(`/projects/${place}/objects/${id}`).catch(() => get(`/projects/${place}/objects/${id}?committed=true`))
      .then(({ object }) => fill(name, object.name), () => {});
    return h("section", {}, name, choices);
  }));
}
