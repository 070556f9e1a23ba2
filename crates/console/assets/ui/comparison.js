// Changed objects, one after the other: fields before and after, texts by lines, pictures side by side.

import { download } from "../api/files.js";
import { text } from "../text.js";
import { codeView, languageOf } from "./code.js";
import { fill, h, size } from "./dom.js";
import { fieldName, said } from "./fields.js";
import { lineView } from "./lines.js";
import { isPicture, isText, picture } from "./media.js";
import { comparePictures } from "./pictures.js";

/**
 * @typedef {import("./fields.js").Field} Field
 * @typedef {{ place: string, commit?: string }} Side
 * @typedef {{ objectId: string, parentId: string, change: string, name: string, type: string, path?: string,
 *   fields: () => Promise<Field[]>, action?: { name: string, said: string, act: () => void } }} Entry `path` has the names above it
 * @typedef {{ base: Side | null, head: Side, nameOf?: (id: string) => string | undefined }} Sides
 */

const KINDS = /** @type {const} */ (["added", "modified", "deleted"]);
const SIGNS = { added: "+", modified: "~", deleted: "−" };
/** Entries that begin unfolded if there are no more. */
const UNFOLDED = 6;
const TEXT_BYTES = 1_000_000;

/**
 * The list of changed objects, below how many there are of each kind. What was added or deleted with its parent is folded
 * below it. `isPart`: there are more than these; `isOpen` says which are unfolded, if a person decided it.
 * @param {Entry[]} entries in the order of the tree @param {Sides} sides
 * @param {{ isPart?: boolean, isOpen?: (id: string) => boolean | undefined }} [options]
 */
export function comparison(entries, sides, { isPart = false, isOpen = () => undefined } = {}) {
  const counts = KINDS.map((kind) => ({ kind, count: entries.filter((entry) => entry.change === kind).length }));
  const said = counts.filter(({ count }) => count > 0).map(({ kind, count }) => text.versions.kinds[kind](count)).join(", ");
  const known = new Map(entries.map((entry) => [entry.objectId, entry]));
  const aboveOf = (/** @type {Entry} */ { change, parentId }) =>
    (change !== "modified" && known.get(parentId)?.change === change ? parentId : "");
  const below = Map.groupBy(entries, aboveOf);
  /** @type {Map<string, number>} */
  const inside = new Map();
  // Parents come before their children.
  for (const entry of entries.toReversed()) {
    const [own, above] = [inside.get(entry.objectId) ?? 0, aboveOf(entry)];
    if (above) inside.set(above, (inside.get(above) ?? 0) + own + 1);
  }
  const list = { sides, below, inside, isOpen: (/** @type {string} */ id) => isOpen(id) ?? entries.length <= UNFOLDED };
  return h("section", { class: "comparison" },
    h("h2", {}, isPart ? text.versions.moreThan(entries.length) : said),
    (below.get("") ?? []).map((entry) => one(entry, list)));
}

/** Which entries of an element are unfolded; undefined for those that it doesn't have. @param {Element} element */
export function opened(element) {
  const found = /** @type {HTMLDetailsElement[]} */ ([...element.querySelectorAll("details[data-id]")]);
  const known = new Map(found.map((one) => [one.dataset.id ?? "", one.open]));
  return (/** @type {string} */ id) => known.get(id);
}

/**
 * @typedef {{ sides: Sides, below: Map<string, Entry[]>, inside: Map<string, number>, isOpen: (id: string) => boolean }} List
 * @param {Entry} entry @param {List} list @returns {HTMLElement}
 */
function one(entry, list) {
  const kind = /** @type {keyof typeof SIGNS} */ (entry.change);
  const [body, inner] = [h("div", { class: "changed-body" }), h("div", { class: "changed-below" })];
  const [children, count] = [list.below.get(entry.objectId) ?? [], list.inside.get(entry.objectId) ?? 0];
  let shown = false;
  const show = async () => {
    if (shown) return;
    shown = true;
    if (inner.childElementCount === 0) fill(inner, children.map((child) => one(child, list)));
    try {
      const fields = await entry.fields();
      fill(body, fields.length === 0 ? h("p", { class: "soft" }, text.versions.noFields) : fieldList(fields, list.sides, entry));
    } catch (error) {
      shown = false;
      fill(body, h("p", { class: "failure" }, error instanceof Error ? error.message : ""));
    }
  };
  const open = list.isOpen(entry.objectId);
  if (open) fill(inner, children.map((child) => one(child, list)));
  const folded = h("details", { class: entry.action ? "changed-object has-action" : "changed-object", open, "data-id": entry.objectId,
    ontoggle: () => { if (folded.open) void show(); } },
  h("summary", {}, h("span", { class: `change ${kind === "modified" ? "changed" : kind}`, "aria-hidden": "true" }, SIGNS[kind]),
    h("span", { class: "unseen" }, text.versions.said[kind]),
    h("span", { class: "name", dir: "auto" }, entry.name),
    count > 0 ? h("span", { class: "soft below" }, text.versions.below(count)) : null,
    h("span", { class: "soft", dir: "auto" }, entry.type),
    entry.path && !list.below.get(entry.parentId)?.includes(entry)
      ? h("span", { class: "soft path", dir: "auto", title: entry.path }, entry.path) : null),
  body, inner);
  // A folded element hides what is in it, and the action is to be seen.
  return entry.action ? h("div", { class: "changed-entry" },
    h("div", { class: "changed-action" }, h("button", { type: "button", class: "button", onclick: entry.action.act,
      "aria-label": entry.action.said }, entry.action.name)), folded) : folded;
}

/** @param {Field[]} fields @param {Sides} sides @param {Entry} entry */
function fieldList(fields, sides, entry) {
  const language = fields.find((one) => one.field === "/data/language");
  const known = languageOf(String(language?.head ?? language?.base ?? ""));
  const plain = fields.filter((one) => !isLong(one) && one.field !== "/file");
  return h("div", {},
    plain.length === 0 ? null : h("div", { class: "fields", role: "table", "aria-label": entry.name },
      h("div", { class: "field-row head", role: "row" }, [text.versions.field, text.versions.before, text.versions.after]
        .map((name) => h("span", { role: "columnheader" }, name))),
      plain.map((one) => h("div", { class: "field-row", role: "row" },
        h("span", { role: "rowheader", dir: "auto" }, fieldName(one.field)),
        value("del", one, one.base, sides), value("ins", one, one.head, sides)))),
    fields.filter(isLong).map((one) => h("div", { class: "long" }, h("h3", { dir: "auto" }, fieldName(one.field)),
      typeof one.base === "string" && typeof one.head === "string" ? lineView(one.base, one.head, `${entry.name}: ${fieldName(one.field)}`)
        : codeView(said(one.head ?? one.base), known || languageOf(entry.name.split(".").at(-1) ?? ""), `${entry.name}: ${fieldName(one.field)}`))),
    // The file of code is its text, which is shown above.
    fields.filter((one) => one.field === "/file" && !fields.some(({ field }) => field === "/data/text")).map((one) => fileView(one, sides, entry)));
}

/** @param {Field} one */
function isLong({ base, head }) {
  return [base, head].some((side) => typeof side === "string" && (side.includes("\n") || side.length > 200));
}

/** @param {"ins" | "del"} tag @param {Field} field @param {unknown} side @param {Sides} sides */
function value(tag, field, side, sides) {
  const name = field.field === "/parent" ? sides.nameOf?.(String(side)) ?? text.versions.elsewhere : said(side);
  return h("span", { role: "cell" }, side === undefined ? h("span", { class: "soft" }, "–") : h(tag, { dir: "auto" }, name));
}

/** @param {Field} field @param {Sides} sides @param {Entry} entry */
function fileView({ base, head }, sides, entry) {
  const [before, after] = /** @type {any[]} */ ([base, head]);
  const place = h("div", { class: "file-change" });
  const facts = [[before, text.versions.before], [after, text.versions.after]].map(([file, name]) => file
    ? h("p", { class: "soft" }, `${name}: ${size(file.size)}, ${file.mimeType}`) : null);
  fill(place, facts);
  void show().catch((error) => place.append(h("p", { class: "failure" }, error instanceof Error ? error.message : "")));
  return h("div", { class: "long" }, h("h3", {}, text.versions.fields["/file"]), place);

  /** @param {any} file @param {Side | null} side */
  function fetched(file, side) {
    if (!file || !side) return Promise.resolve(null);
    return download(side.place, entry.objectId, file.extension ?? "", side.commit);
  }
  async function show() {
    const present = [before, after].filter(Boolean);
    const pictures = present.every((file) => isPicture(file.mimeType));
    const texts = present.every((file) => isText(file.mimeType, file.extension) && file.size < TEXT_BYTES);
    if (!pictures && !texts) return;
    const [old, now] = await Promise.all([fetched(before, sides.base), fetched(after, sides.head)]);
    if (pictures && old && now) {
      fill(place, comparePictures({ blob: old, type: before.mimeType, said: `${text.versions.before}, ${size(before.size)}` },
        { blob: now, type: after.mimeType, said: `${text.versions.after}, ${size(after.size)}` }, entry.name));
    } else if (pictures) {
      fill(place, h("div", { class: "side-by-side" }, [[old, before, text.versions.before], [now, after, text.versions.after]]
        .map(([blob, file, name]) => blob ? h("figure", {},
          picture(blob, file.mimeType, `${entry.name}: ${name}`), h("figcaption", { class: "soft" }, `${name}, ${size(file.size)}`)) : null)));
    } else if (old && now) {
      fill(place, facts, lineView(await old.text(), await now.text(), entry.name));
    } else {
      const only = old ?? now;
      if (only) fill(place, codeView(await only.text(), languageOf(present[0].extension ?? ""), entry.name));
    }
  }
}
