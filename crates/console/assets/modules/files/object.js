// One object: its facts, its properties and the content of its file.

import { get } from "../../api/client.js";
import { download } from "../../api/files.js";
import { text } from "../../text.js";
import { button, fill, h, size } from "../../ui/dom.js";
import { toast } from "../../ui/toast.js";

/** Image types that run nothing. SVG is shown as its text. */
const PICTURES = new Set(["image/png", "image/jpeg", "image/gif", "image/webp", "image/avif"]);
const PREVIEW_BYTES = 20_000_000;
const TEXT_CHARACTERS = 200_000;

/** @param {string} project @param {string} id */
export async function objectView(project, id) {
  const { object } = await get(`/projects/${project}/objects/${id}`);
  const { file } = object;
  const content = h("div", { class: "content" });
  if (file) void preview(content, project, object);
  else if (typeof object.data?.text === "string") fill(content, code(object.data.text));
  const { text: _, ...data } = object.data ?? {};
  return h("article", {},
    h("div", { class: "heading" }, h("h2", { dir: "auto" }, object.name),
      file ? button({ name: text.files.save, icon: "download", onclick: () => void save(project, object) }) : null),
    h("dl", { class: "facts" },
      fact(text.files.type, object.type),
      file ? fact(text.files.size, size(file.size)) : null,
      file ? fact(text.files.media, file.mimeType) : null,
      h("dt", {}, text.files.id), h("dd", {}, button({ name: text.files.copy, icon: "copy", kind: "plain",
        onclick: () => void navigator.clipboard.writeText(id).then(() => toast(text.files.copied)) }))),
    content,
    Object.keys(data).length > 0
      ? h("details", {}, h("summary", {}, text.files.data), code(JSON.stringify(data, null, 2))) : null);
}

/** @param {string} name @param {string} value */
function fact(name, value) {
  return [h("dt", {}, name), h("dd", { dir: "auto" }, value)];
}

/** @param {string} content */
function code(content) {
  const cut = content.length > TEXT_CHARACTERS;
  const shown = cut ? content.slice(0, TEXT_CHARACTERS) : content;
  return h("div", {}, cut ? h("p", { class: "soft" }, text.files.cut) : null,
    h("pre", { class: "code", tabindex: "0", role: "region", "aria-label": text.files.preview },
      shown.replace(/\n$/, "").split("\n").map((line) => h("span", { class: "line" }, `${line}\n`))));
}

/** @param {HTMLElement} place @param {string} project @param {any} object */
async function preview(place, project, object) {
  const { file } = object;
  const type = file.mimeType.split(";")[0];
  const isText = type.startsWith("text/") || type.endsWith("json") || type.endsWith("xml") || type.endsWith("script");
  if ((!PICTURES.has(type) && !isText) || file.size > PREVIEW_BYTES) {
    fill(place, h("p", { class: "soft" }, text.files.noPreview));
    return;
  }
  try {
    const blob = await download(project, object.id, file.extension ?? "");
    if (isText) {
      fill(place, code(await blob.text()));
      return;
    }
    const url = URL.createObjectURL(new Blob([blob], { type }));
    const free = () => URL.revokeObjectURL(url);
    fill(place, h("img", { src: url, alt: object.name, onload: free, onerror: free }));
  } catch (error) {
    fill(place, h("p", { class: "failure" }, error instanceof Error ? error.message : ""));
  }
}

/** @param {string} project @param {any} object */
async function save(project, object) {
  try {
    const url = URL.createObjectURL(await download(project, object.id, object.file.extension ?? ""));
    h("a", { href: url, download: object.name }).click();
    setTimeout(() => URL.revokeObjectURL(url), 60_000);
  } catch (error) {
    toast(error instanceof Error ? error.message : "", { bad: true });
  }
}
