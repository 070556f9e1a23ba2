// The versions of an object's file: downloaded, and texts also read and compared.

import { get } from "../../api/client.js";
import { download } from "../../api/files.js";
import { text } from "../../text.js";
import { codeView, languageOf } from "../../ui/code.js";
import { button, fill, h, loading, moment, size } from "../../ui/dom.js";
import { lineView } from "../../ui/lines.js";
import { isText, wordsOf } from "../../ui/media.js";
import { toast } from "../../ui/toast.js";

/** Longest texts that are read and compared here. */
const TEXT_BYTES = 1_000_000;

/** The versions of an object's file, once they are unfolded. @param {string} place @param {any} object */
export function versions(place, object) {
  const list = h("ul", { class: "versions" });
  const shown = h("div", { class: "version-shown", "aria-live": "polite" });
  const folded = h("details", { ontoggle: () => { if (folded.open && list.childElementCount === 0) void show(); } },
    h("summary", {}, text.files.versions), list, shown);
  let turn = 0;

  async function show() {
    const found = await get(`/projects/${place}/objects/${object.id}/versions?limit=50`).catch(() => ({ versions: [] }));
    /** @type {any[]} */
    const all = found.versions;
    fill(list, all.map((one, at) => h("li", {},
      h("span", { class: "name", dir: "auto" }, nameOf(one)),
      h("span", { class: "soft", dir: "auto" }, one.author.name), h("span", { class: "soft" }, moment(one.createdAt)),
      h("span", { class: "soft" }, size(one.file.size)),
      h("span", { class: "version-actions" },
        isRead(one) ? button({ name: text.files.view, kind: "plain", onclick: () => void view(one) }) : null,
        isRead(one) && all[at + 1] && isRead(all[at + 1])
          ? h("button", { type: "button", class: "button plain", "aria-label": text.files.compareBefore, title: text.files.compareBefore,
            onclick: () => void compare(all[at + 1], one) }, text.files.compare) : null,
        button({ name: text.files.save, icon: "download", kind: "plain", quiet: true,
          onclick: () => void save(place, { ...object, file: one.file, name: one.name }, one.commitHash ?? undefined) })))));
  }

  /** @param {any} one */
  const nameOf = (one) => one.message?.split("\n")[0] ?? text.files.uncommitted;
  /** @param {any} one */
  const isRead = ({ file }) => isText(file.mimeType, file.extension) && file.size <= TEXT_BYTES;
  /** @param {any} one */
  const wordsIn = async (one) =>
    wordsOf(await download(place, object.id, one.file.extension ?? "", one.commitHash ?? undefined), object.data?.encoding);

  /** Shows what is read, unless something else has been asked for since. @param {string} title @param {() => Promise<Node>} read */
  async function present(title, read) {
    const own = ++turn;
    fill(shown, loading());
    const content = await read().catch((error) => h("p", { class: "failure" }, error instanceof Error ? error.message : ""));
    if (own === turn) fill(shown, h("h3", { dir: "auto" }, title), content);
  }
  /** @param {any} one */
  const view = (one) => present(nameOf(one), async () =>
    codeView(await wordsIn(one), languageOf(String(object.data?.language ?? "")) || languageOf(one.file.extension ?? ""), nameOf(one)));
  /** @param {any} old @param {any} one */
  const compare = (old, one) => present(`${nameOf(old)} → ${nameOf(one)}`, async () => {
    const [before, after] = await Promise.all([wordsIn(old), wordsIn(one)]);
    return lineView(before, after, object.name);
  });
  return folded;
}

/** The name of an object's file: that of its upload, or else that of the object with the extension. @param {any} object */
export function savedName({ name, file }) {
  const extension = file.extension ?? "";
  return file.name ?? (name.toLowerCase().endsWith(extension.toLowerCase()) ? name : name + extension);
}

/** Saves an object's file, as it is or as a commit has it. @param {string} place @param {any} object @param {string} [commit] */
export async function save(place, object, commit) {
  try {
    const url = URL.createObjectURL(await download(place, object.id, object.file.extension ?? "", commit));
    h("a", { href: url, download: savedName(object) }).click();
    setTimeout(() => URL.revokeObjectURL(url), 60_000);
  } catch (error) {
    toast(error instanceof Error ? error.message : "", { bad: true });
  }
}
