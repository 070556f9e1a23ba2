// The selected object: its facts, properties, versions, and the content of its file. What the tree knows is shown at once.

import { get } from "../../api/client.js";
import { download, sessionOf } from "../../api/files.js";
import { open } from "../../router.js";
import { text } from "../../text.js";
import { codeView, languageOf } from "../../ui/code.js";
import { button, fill, h, loading, size } from "../../ui/dom.js";
import { markdown } from "../../ui/markdown.js";
import { isPicture, isText, picture, wordsOf } from "../../ui/media.js";
import { toast } from "../../ui/toast.js";
import { propertyList } from "./properties.js";
import { save, versions } from "./versions.js";

/** @typedef {{ rename: () => void, move: () => void, remove: () => void, edit: (object: any) => void, replace: (file: File) => void }} Acts */

const PREVIEW_BYTES = 20_000_000;
/** Longer Markdown is shown as it is written, because all of it would be in the page. */
const PROSE_CHARACTERS = 200_000;
const MARKDOWN = /^\.(md|markdown)$/i;

/** What the tree knows of an object, until the rest has arrived. @param {string} place @param {any} node @param {Acts} acts */
export function outline(place, node, acts) {
  return article(place, node, acts, loading());
}

/** @param {string} place @param {string} id @param {Acts} acts */
export async function objectView(place, id, acts) {
  const { object } = await get(`/projects/${place}/objects/${id}`);
  const content = h("div", { class: "content" });
  const extension = object.name.split(".").at(-1) ?? "";
  if (object.file) void preview(content, place, object);
  else if (typeof object.data?.text === "string") {
    fill(content, codeView(object.data.text, languageOf(String(object.data.language ?? "")) || languageOf(extension)));
  }
  const { text: _, ...data } = object.data ?? {};
  return article(place, object, acts,
    content,
    object.type === "Document" ? pages(place, id) : null,
    object.file ? versions(place, object) : null,
    h("section", { class: "properties" }, h("div", { class: "heading" }, h("h3", {}, text.files.data),
      button({ name: text.files.edit, kind: "plain", onclick: () => acts.edit(object) })),
    Object.keys(data).length > 0 ? propertyList(data) : null));
}

/** @param {string} place @param {any} object @param {Acts} acts @param {...(Node | null)} rest */
function article(place, object, acts, ...rest) {
  const { id, file } = object;
  const picker = h("input", { type: "file", hidden: true, "aria-label": text.files.replace, "data-replace": true,
    onchange: () => { if (picker.files?.[0]) acts.replace(picker.files[0]); } });
  return h("article", {},
    h("div", { class: "heading" }, h("h2", { dir: "auto" }, object.name), picker,
      object.type === "Code" && Object.hasOwn(text.executions.languages, String(object.data?.language))
        ? button({ name: text.files.run, icon: "run", onclick: () => void run(place, id) }) : null,
      file ? button({ name: text.files.save, icon: "download", onclick: () => void save(place, object) }) : null,
      file && object.type !== "Page" ? button({ name: text.files.replace, icon: "upload", onclick: () => picker.click() }) : null,
      button({ name: text.files.rename, onclick: acts.rename }), button({ name: text.files.move, onclick: acts.move }),
      button({ name: text.files.delete, onclick: acts.remove })),
    h("dl", { class: "facts" },
      fact(text.files.type, object.type),
      file ? fact(text.files.size, size(file.size)) : null,
      file ? fact(text.files.media, file.mimeType) : null,
      // The parts of a model have their own names, so the object's name may not tell what was uploaded.
      file?.extension && !object.name.toLowerCase().endsWith(file.extension.toLowerCase())
        ? fact(text.files.extension, file.extension) : null,
      h("dt", {}, text.files.id), h("dd", {}, button({ name: text.files.copy, icon: "copy", kind: "plain",
        onclick: () => void navigator.clipboard.writeText(id).then(() => toast(text.files.copied)) }))),
    rest);
}

/** Opens the page that runs code, with an object chosen, in the session of this tab. @param {string} place @param {string} id */
async function run(place, id) {
  try {
    const [project] = decodeURIComponent(place).split("--");
    open(`/projects/${project}/sessions/${await sessionOf(place)}/executions?object=${id}`);
  } catch (error) {
    toast(error instanceof Error ? error.message : "", { bad: true });
  }
}

/** @param {string} name @param {string} value */
function fact(name, value) {
  return [h("dt", {}, name), h("dd", { dir: "auto" }, value)];
}

/** @param {HTMLElement} at @param {string} place @param {any} object */
async function preview(at, place, object) {
  const { file } = object;
  const reason = failureOf(object);
  if (file.size === 0) return fill(at, h("p", { class: "soft" }, text.files.isEmpty));
  const [isImage, isWords] = [isPicture(file.mimeType), isText(file.mimeType, file.extension)];
  if ((!isImage && !isWords) || file.size > PREVIEW_BYTES) {
    if (reason || object.type !== "Document") fill(at, reason, h("p", { class: "soft" }, text.files.noPreview));
    return;
  }
  fill(at, loading());
  try {
    const blob = await download(place, object.id, file.extension ?? "");
    fill(at, reason, ...(isImage ? [picture(blob, file.mimeType, object.name)] : words(object, await wordsOf(blob, object.data?.encoding))));
  } catch (error) {
    fill(at, h("p", { class: "failure" }, error instanceof Error ? error.message : ""));
  }
}

/**
 * The words of a file, or the newer ones of an object of code, whose text was changed since. The text of a notebook isn't
 * that of its file.
 * @param {any} object @param {string} content
 */
function words({ data, file }, content) {
  const language = languageOf(String(data?.language ?? "")) || languageOf(file.extension ?? "");
  const isNewer = typeof data?.text === "string" && data.text !== content && !data.notebook && !data.conversion;
  const shown = isNewer ? data.text : content;
  const isProse = MARKDOWN.test(file.extension ?? "") && shown.length <= PROSE_CHARACTERS;
  return [isNewer ? h("p", { class: "soft older" }, text.files.isOlder) : null, isProse ? markdown(shown) : codeView(shown, language)];
}

/** Why a file was not read, or not as a whole, if the service says so. @param {any} object */
function failureOf({ data }) {
  const { status, message } = data?.conversion ?? {};
  if (!message || status === "pending") return null;
  return h("p", { class: "conversion" }, (status === "partial" ? text.files.readInPart : text.files.unread)(String(message).replace(/\.$/, "")));
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
      void download(place, page.id, page.file.extension ?? "")
        .then((blob) => picture(blob, page.file.mimeType, text.files.page(page.name)),
          (error) => h("p", { class: "failure" }, error.message))
        .then((shown) => target.lastElementChild?.replaceWith(shown));
    }
  }, { rootMargin: "400px" });
  /** @type {Map<Element, any>} */
  const known = new Map();
  async function add() {
    const next = cursor ? `&cursor=${encodeURIComponent(cursor)}` : "";
    const { objects, meta } = await get(`/projects/${place}/objects?parent=${id}&type=Page&limit=20${next}`);
    for (const page of objects.filter((/** @type {any} */ one) => one.file)) {
      const item = h("li", {}, h("span", { class: "soft", dir: "auto" }, page.name), loading());
      known.set(item, page);
      list.append(item);
      seen.observe(item);
    }
    cursor = meta.nextCursor ?? "";
    more.hidden = !meta.hasMore;
  }
  const state = h("div", {}, loading());
  void add().then(() => fill(state), (error) => fill(state, h("p", { class: "failure", role: "alert" }, error.message)));
  return h("section", {}, h("h3", {}, text.files.pages), list, state, more);
}
