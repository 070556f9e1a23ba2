// Changed objects by kind of change: fields before and after, texts by lines, pictures side by side.

import { download } from "../api/files.js";
import { text } from "../text.js";
import { codeView, languageOf } from "./code.js";
import { button, fill, h, size } from "./dom.js";
import { fieldName, said } from "./fields.js";
import { lineView } from "./lines.js";
import { isPicture, isText, picture } from "./media.js";
import { comparePictures } from "./pictures.js";

/**
 * @typedef {import("./fields.js").Field} Field
 * @typedef {{ place: string, commit?: string }} Side
 * @typedef {{ objectId: string, change: string, name: string, type: string, fields: () => Promise<Field[]>,
 *   action?: { name: string, act: () => void } }} Entry
 * @typedef {{ base: Side | null, head: Side, nameOf?: (id: string) => string | undefined }} Sides
 */

const KINDS = /** @type {const} */ (["added", "modified", "deleted"]);
const SIGNS = { added: "+", modified: "~", deleted: "−" };
/** Entries that begin unfolded if there are no more. */
const UNFOLDED = 6;
const TEXT_BYTES = 1_000_000;

/** The list of changed objects. @param {Entry[]} entries @param {Sides} sides */
export function comparison(entries, sides) {
  return h("div", { class: "comparison" }, KINDS.map((kind) => {
    const found = entries.filter((entry) => entry.change === kind);
    return found.length === 0 ? null : h("section", {},
      h("h2", {}, text.versions.kinds[kind](found.length)),
      found.map((entry) => one(entry, sides, entries.length <= UNFOLDED)));
  }));
}

/** @param {Entry} entry @param {Sides} sides @param {boolean} open */
function one(entry, sides, open) {
  const kind = /** @type {keyof typeof SIGNS} */ (entry.change);
  const body = h("div", { class: "changed-body" });
  let shown = false;
  const show = async () => {
    if (shown) return;
    shown = true;
    try {
      const fields = await entry.fields();
      fill(body, fields.length === 0 ? h("p", { class: "soft" }, text.versions.noFields) : fieldList(fields, sides, entry));
    } catch (error) {
      shown = false;
      fill(body, h("p", { class: "failure" }, error instanceof Error ? error.message : ""));
    }
  };
  const folded = h("details", { class: "changed-object", open, ontoggle: () => { if (folded.open) void show(); } },
    h("summary", {}, h("span", { class: `change ${kind === "modified" ? "changed" : kind}`, "aria-hidden": "true" }, SIGNS[kind]),
      h("span", { class: "name", dir: "auto" }, entry.name), h("span", { class: "soft", dir: "auto" }, entry.type)),
    entry.action ? h("div", { class: "changed-action" }, button({ name: entry.action.name, onclick: entry.action.act })) : null,
    body);
  return folded;
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
