// Uploads of files and folders: small ones together, large ones in pieces, each with its outcome in a list.

import { post } from "../../api/client.js";
import { forget, unfinished, upload, uploadTogether } from "../../api/files.js";
import { text } from "../../text.js";
import { button, fill, h } from "../../ui/dom.js";
import { toast } from "../../ui/toast.js";

/**
 * @typedef {import("../../ui/dropped.js").Dropped} Dropped
 * @typedef {Dropped & { parent: string, state: string, failed?: boolean, root?: string, replaces?: boolean }} Upload
 */

/** Files up to this size go together. */
const SMALL_BYTES = 1_000_000;
const TOGETHER_FILES = 100;
const TOGETHER_BYTES = 16_000_000;

/**
 * The uploads of a project's branch, with their line of status.
 * @param {{ place: string, nodes: () => any[], loaded: () => Promise<void>, done: (object: string) => void }} options
 */
export function uploads({ place, nodes, loaded, done }) {
  const bar = h("progress", { max: 1, value: 0, "aria-label": text.files.upload });
  const said = h("span", { dir: "auto" });
  const list = h("ul", { class: "outcomes" });
  const close = button({ name: text.close, icon: "close", kind: "plain", quiet: true, onclick: () => { element.hidden = true; } });
  const folded = h("details", {}, h("summary", {}, bar, h("span", { role: "status" }, said)), list);
  const element = h("div", { class: "status", hidden: true }, folded, close);
  const interrupted = h("ul", { class: "interrupted" });

  function remind() {
    fill(interrupted, unfinished(place).map((one) => h("li", {}, h("span", { dir: "auto" }, text.files.interrupted(one.name)),
      button({ name: text.files.forget, kind: "plain", onclick: () => {
        forget(place, one);
        remind();
      } }))));
  }

  /** @param {Upload[]} all */
  function show(all) {
    element.hidden = false;
    const ended = all.filter((one) => one.root !== undefined || one.failed).length;
    bar.value = ended / all.length;
    bar.hidden = close.hidden = false;
    if (ended === all.length) bar.hidden = true;
    else close.hidden = true;
    const failed = all.filter((one) => one.failed).length;
    fill(said, ended === all.length ? text.files.outcome(ended - failed, failed)
      : all.length === 1 ? all[0].state : text.files.progress(ended, all.length));
    if (folded.open) fill(list, all.map((one) => h("li", { class: one.failed ? "failure" : undefined },
      h("span", { dir: "auto" }, one.path), h("span", { class: one.failed ? undefined : "soft" }, one.state))));
  }

  /** @param {string} parent @param {string[]} folders */
  async function folderOf(parent, folders) {
    let on = parent;
    for (const name of folders) {
      const known = nodes().find((node) => node.parent === on && node.name === name && !node.file);
      on = known ? known.id : (await post(`/projects/${place}/objects`, { name, type: "Folder", parent: on })).object.id;
      if (!known) await loaded();
    }
    return on;
  }

  /** @param {Upload[]} batch @param {Upload[]} all */
  async function together(batch, all) {
    try {
      const outcomes = await uploadTogether(place, batch[0].parent, batch);
      batch.forEach((one, at) => {
        const outcome = outcomes[at];
        one.failed = Boolean(outcome.error);
        one.state = outcome.error?.message ?? text.files.isDone;
        one.root = outcome.root?.id ?? "";
      });
    } catch (error) {
      for (const one of batch) Object.assign(one, { failed: true, state: error instanceof Error ? error.message : "" });
    }
    show(all);
  }

  /** @param {Upload} one @param {Upload[]} all */
  async function alone(one, all) {
    try {
      const parent = one.replaces ? one.parent : await folderOf(one.parent, one.path.split("/").slice(0, -1));
      const made = await upload(place, parent, one.file, (sent) => {
        one.state = text.files.sending(one.file.name, one.file.size ? Math.floor((sent / one.file.size) * 100) : 100);
        show(all);
      }, { replaces: one.replaces });
      Object.assign(one, { state: text.files.isDone, root: /** @type {any} */ (made[0])?.id ?? "" });
    } catch (error) {
      Object.assign(one, { failed: true, state: error instanceof Error ? error.message : "" });
    }
    show(all);
  }

  /** @param {Upload[]} all */
  async function run(all) {
    show(all);
    const small = all.filter((one) => one.file.size <= SMALL_BYTES && !one.replaces);
    while (small.length > 0) {
      /** @type {Upload[]} */
      const batch = [];
      for (let bytes = 0; small.length > 0 && batch.length < TOGETHER_FILES && small[0].parent === (batch[0] ?? small[0]).parent
        && bytes + small[0].file.size <= TOGETHER_BYTES;) {
        const one = /** @type {Upload} */ (small.shift());
        bytes += one.file.size;
        batch.push(one);
      }
      await together(batch, all);
    }
    const large = all.filter((one) => one.file.size > SMALL_BYTES || one.replaces);
    if (large.length > 0 && all.length > large.length) await loaded();
    for (const one of large) await alone(one, all);
    await loaded();
    remind();
    for (const one of all.filter(({ failed }) => failed)) toast(text.files.failed(one.path, one.state), { bad: true });
    const ended = all.filter(({ failed }) => !failed);
    if (ended.length > 0) toast(all[0].replaces ? text.files.replaced : text.files.sent(ended.length));
    if (ended.length === all.length && all.length === 1) element.hidden = true;
    const last = ended.at(-1);
    if (last) done(last.replaces ? last.parent : last.root ?? "");
  }

  remind();
  /** @type {Upload[]} */
  let current = [];
  folded.addEventListener("toggle", () => { if (folded.open) show(current); });
  return {
    element, interrupted,
    /** Sends files below an object. @param {Dropped[]} files @param {string} parent */
    async send(files, parent) {
      const open = unfinished(place);
      current = files.map(({ file, path }) => {
        const known = open.find((one) => one.name === file.name && one.size === file.size && one.modified === file.lastModified);
        return { file, path: known ? file.name : path, parent: known?.parent ?? parent, replaces: known?.replaces, state: text.files.waits };
      });
      if (current.length > 0) await run(current);
    },
    /** Sends a new version of an object's file. @param {File} file @param {string} object */
    async replace(file, object) {
      current = [{ file, path: file.name, parent: object, replaces: true, state: text.files.waits }];
      await run(current);
    },
  };
}
