// The selected object: its facts, properties, versions, and the content of its file.

import { get } from "../../api/client.js";
import { download } from "../../api/files.js";
import { text } from "../../text.js";
import { codeView, languageOf } from "../../ui/code.js";
import { button, fill, h, moment, size } from "../../ui/dom.js";
import { prettyJson } from "../../ui/json.js";
import { isPicture, isText, picture } from "../../ui/media.js";
import { toast } from "../../ui/toast.js";

/** @typedef {{ rename: () => void, move: () => void, remove: () => void, edit: (object: any) => void, replace: (file: File) => void }} Acts */

const PREVIEW_BYTES = 20_000_000;

/** @param {string} place @param {string} id @param {Acts} acts */
export async function objectView(place, id, acts) {
  const { object } = await get(`/projects/${place}/objects/${id}`);
  const { file } = object;
  const content = h("div", { class: "content" });
  const extension = object.name.split(".").at(-1) ?? "";
  if (file) void preview(content, place, object);
  else if (typeof object.data?.text === "string") {
    fill(content, codeView(object.data.text, languageOf(String(object.data.language ?? "")) || languageOf(extension)));
  }
  const { text: _, ...data } = object.data ?? {};
  const picker = h("input", { type: "file", hidden: true, "aria-label": text.files.replace, "data-replace": true,
    onchange: () => { if (picker.files?.[0]) acts.replace(picker.files[0]); } });
  return h("article", {},
    h("div", { class: "heading" }, h("h2", { dir: "auto" }, object.name), picker,
      file ? button({ name: text.files.save, icon: "download", onclick: () => void save(place, object) }) : null,
      file && object.type !== "Page" ? button({ name: text.files.replace, icon: "upload", onclick: () => picker.click() }) : null,
      button({ name: text.files.rename, onclick: acts.rename }), button({ name: text.files.move, onclick: acts.move }),
      button({ name: text.files.delete, onclick: acts.remove })),
    h("dl", { class: "facts" },
      fact(text.files.type, object.type),
      file ? fact(text.files.size, size(file.size)) : null,
      file ? fact(text.files.media, file.mimeType) : null,
      h("dt", {}, text.files.id), h("dd", {}, button({ name: text.files.copy, icon: "copy", kind: "plain",
        onclick: () => void navigator.clipboard.writeText(id).then(() => toast(text.files.copied)) }))),
    content,
    object.type === "Document" ? pages(place, id) : null,
    file ? versions(place, object) : null,
    h("section", { class: "properties" }, h("div", { class: "heading" }, h("h3", {}, text.files.data),
      button({ name: text.files.edit, kind: "plain", onclick: () => acts.edit(object) })),
    Object.keys(data).length > 0 ? codeView(prettyJson(data), "json", text.files.data) : null));
}

/** @param {string} name @param {string} value */
function fact(name, value) {
  return [h("dt", {}, name), h("dd", { dir: "auto" }, value)];
}

/** @param {HTMLElement} at @param {string} place @param {any} object */
async function preview(at, place, object) {
  const { file } = object;
  const [isImage, isWords] = [isPicture(file.mimeType), isText(file.mimeType, file.extension)];
  if ((!isImage && !isWords) || file.size > PREVIEW_BYTES) {
    if (object.type !== "Document") fill(at, h("p", { class: "soft" }, text.files.noPreview));
    return;
  }
  try {
    const blob = await download(place, object.id, file.extension ?? "");
    fill(at, isImage ? picture(blob, file.mimeType, object.name)
      : codeView(await blob.text(), languageOf(String(object.data?.language ?? "")) || languageOf(file.extension ?? "")));
  } catch (error) {
    fill(at, h("p", { class: "failure" }, error instanceof Error ? error.message : ""));
  }
}

/** The pages of a document as pictures, each fetched when it comes near. @param {string} place @param {string} id */
function pages(place, id) {
  const list = h("ol", { class: "pages" });
  const more = button({ name: text.files.more, onclick: () => void add() });
  more.hidden = true;
  let cursor = "";
  const seen = new IntersectionObserver((entries) => {
    for (const { target, isIntersecting } of entries) {
      if (!isIntersecting) continue;
      seen.unobserve(target);
      const page = known.get(target);
      void download(place, page.id, page.file.extension ?? "").then((blob) =>
        target.append(picture(blob, page.file.mimeType, text.files.page(page.name))), () => {});
    }
  }, { rootMargin: "400px" });
  /** @type {Map<Element, any>} */
  const known = new Map();
  async function add() {
    const next = cursor ? `&cursor=${encodeURIComponent(cursor)}` : "";
    const { objects, meta } = await get(`/projects/${place}/objects?parent=${id}&type=Page&limit=20${next}`);
    for (const page of objects.filter((/** @type {any} */ one) => one.file)) {
      const item = h("li", {}, h("span", { class: "soft", dir: "auto" }, page.name));
      known.set(item, page);
      list.append(item);
      seen.observe(item);
    }
    cursor = meta.nextCursor ?? "";
    more.hidden = !meta.hasMore;
  }
  const failure = h("p", { class: "failure", role: "alert" });
  void add().catch((error) => fill(failure, error.message));
  return h("section", {}, h("h3", {}, text.files.pages), list, failure, more);
}

/** The versions of an object's file. @param {string} place @param {any} object */
function versions(place, object) {
  const list = h("ul", { class: "versions" });
  const folded = h("details", { ontoggle: () => { if (folded.open && list.childElementCount === 0) void show(); } },
    h("summary", {}, text.files.versions), list);
  async function show() {
    const found = await get(`/projects/${place}/objects/${object.id}/versions?limit=50`).catch(() => ({ versions: [] }));
    fill(list, found.versions.map((/** @type {any} */ one) => h("li", {},
      h("span", { class: "name", dir: "auto" }, one.message?.split("\n")[0] ?? text.files.uncommitted),
      h("span", { class: "soft", dir: "auto" }, one.author.name), h("span", { class: "soft" }, moment(one.createdAt)),
      h("span", { class: "soft" }, size(one.file.size)),
      button({ name: text.files.save, icon: "download", kind: "plain", quiet: true,
        onclick: () => void save(place, { ...object, file: one.file, name: one.name }, one.commitHash ?? undefined) }))));
  }
  return folded;
}

/** @param {string} place @param {any} object @param {string} [commit] */
async function save(place, object, commit) {
  try {
    const url = URL.createObjectURL(await download(place, object.id, object.file.extension ?? "", commit));
    h("a", { href: url, download: object.name }).click();
    setTimeout(() => URL.revokeObjectURL(url), 60_000);
  } catch (error) {
    toast(error instanceof Error ? error.message : "", { bad: true });
  }
}
