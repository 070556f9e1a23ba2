// Uploads of files and folders: small ones together, large ones in pieces, each with its outcome in a list.

import { post } from "../../api/client.js";
import { forget, unfinished, upload, uploadTogether } from "../../api/files.js";
import { text } from "../../text.js";
import { button, fill, h } from "../../ui/dom.js";
import { toast } from "../../ui/toast.js";
import { outcomes } from "./outcomes.js";

/**
 * @typedef {import("../../ui/dropped.js").Dropped} Dropped
 * @typedef {{ path: string, parent: string, file: File | null, state: string, sent?: number, stop: AbortController,
 *   end?: "done" | "failed" | "cancelled", root?: string, replaces?: boolean, isTogether?: boolean }} Upload an empty folder has no file, and one of
 *   a request of several files ends with that
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
  const status = outcomes((some) => {
    for (const one of some.filter(({ end }) => !end)) {
      Object.assign(one, { end: "cancelled", state: text.files.isCancelled });
      one.stop.abort();
    }
    status.draw();
  });
  const interrupted = h("ul", { class: "interrupted" });
  /** Folders of this run that the tree may not have yet, by parent and name. @type {Map<string, string>} */
  const made = new Map();

  function remind() {
    fill(interrupted, unfinished(place).map((one) => h("li", {}, h("span", { dir: "auto" }, text.files.interrupted(one.name)),
      button({ name: text.files.forget, kind: "plain", onclick: () => {
        void forget(place, one);
        remind();
      } }))));
  }

  /** @param {string} parent @param {string[]} folders */
  async function folderOf(parent, folders) {
    let on = parent;
    for (const name of folders) {
      const key = `${on}/${name}`;
      const known = made.get(key) ?? nodes().find((node) => node.parent === on && node.name === name && !node.file)?.id;
      on = known ?? (await post(`/projects/${place}/objects`, { name, type: "Folder", parent: on })).object.id;
      made.set(key, on);
    }
    return on;
  }

  /** Ends an upload, unless the person did. @param {Upload} one @param {Partial<Upload>} outcome */
  function end(one, outcome) {
    if (one.end !== "cancelled") Object.assign(one, outcome);
    status.draw();
  }
  /** @param {unknown} error @returns {Partial<Upload>} */
  const failure = (error) => ({ end: "failed", state: error instanceof Error ? error.message : "" });

  /** @param {(Upload & { file: File })[]} batch */
  async function together(batch) {
    // The request of several files ends once all of them are cancelled.
    const stop = new AbortController();
    for (const one of batch) {
      one.isTogether = true;
      one.stop.signal.addEventListener("abort", () => { if (batch.every(({ end: how }) => how)) stop.abort(); });
    }
    status.draw();
    try {
      const results = await uploadTogether(place, batch[0].parent, batch, stop.signal);
      batch.forEach((one, at) => {
        const { error, root } = results[at];
        // The answer was faster than the person who cancelled.
        if (one.end === "cancelled" && !error) one.end = undefined;
        end(one, error ? { end: "failed", state: error.message } : { end: "done", state: text.files.isDone, root: root?.id ?? "" });
      });
    } catch (error) {
      for (const one of batch) end(one, failure(error));
    }
  }

  /** @param {Upload} one */
  async function alone(one) {
    if (one.end) return;
    const folders = one.path.split("/");
    try {
      if (!one.file) {
        return end(one, { root: await folderOf(one.parent, folders), end: "done", state: text.files.isCreated });
      }
      const { file } = one;
      const parent = one.replaces ? one.parent : await folderOf(one.parent, folders.slice(0, -1));
      const objects = await upload(place, parent, file, (sent) => {
        if (one.end) return;
        one.sent = sent;
        one.state = text.files.sending(file.name, file.size ? Math.floor((sent / file.size) * 100) : 100);
        status.draw();
      }, { replaces: one.replaces, signal: one.stop.signal });
      end(one, { end: "done", state: text.files.isDone, root: /** @type {any} */ (objects[0])?.id ?? "" });
    } catch (error) {
      end(one, failure(error));
    }
  }

  /** @param {Upload[]} all */
  async function run(all) {
    made.clear();
    status.begin(all);
    const isSmall = (/** @type {Upload} */ one) => one.file !== null && one.file.size <= SMALL_BYTES && !one.replaces;
    const small = /** @type {(Upload & { file: File })[]} */ (all.filter(isSmall));
    while (small.length > 0) {
      /** @type {(Upload & { file: File })[]} */
      const batch = [];
      let bytes = 0;
      for (let one = small[0]; one && (one.end || (batch.length < TOGETHER_FILES && one.parent === (batch[0] ?? one).parent
        && bytes + one.file.size <= TOGETHER_BYTES)); one = small[0]) {
        small.shift();
        if (one.end) continue;
        bytes += one.file.size;
        batch.push(one);
      }
      if (batch.length > 0) await together(batch);
    }
    const others = all.filter((one) => !isSmall(one));
    if (others.length > 0 && all.length > others.length) await loaded();
    for (const one of others) await alone(one);
    await loaded();
    remind();
    for (const one of all.filter((other) => other.end === "failed")) toast(text.files.failed(one.path, one.state), { bad: true });
    const ended = all.filter((one) => one.end === "done");
    const files = ended.filter(({ file }) => file).length;
    if (files > 0) toast(all[0].replaces ? text.files.replaced : text.files.sent(files));
    else if (ended.length > 0) toast(text.files.foldersMade(ended.length));
    if (ended.length === 1 && all.length === 1) status.hide();
    const last = ended.at(-1);
    if (last) done(last.replaces ? last.parent : last.root ?? "");
  }

  /** @param {Omit<Upload, "state" | "stop">} one @returns {Upload} */
  const waiting = (one) => ({ ...one, state: text.files.waits, stop: new AbortController() });

  remind();
  return {
    element: status.element, interrupted,
    /** Sends files below an object, and creates empty folders. @param {Dropped[]} files @param {string} parent @param {string[]} [folders] */
    async send(files, parent, folders = []) {
      const open = unfinished(place);
      const all = files.map(({ file, path }) => {
        const known = open.find((one) => one.name === file.name && one.size === file.size && one.modified === file.lastModified);
        return waiting({ file, path: known ? file.name : path, parent: known?.parent ?? parent, replaces: known?.replaces });
      });
      all.push(...folders.map((path) => waiting({ file: null, path, parent })));
      if (all.length > 0) await run(all);
    },
    /** Sends a new version of an object's file. @param {File} file @param {string} object */
    replace: (file, object) => run([waiting({ file, path: file.name, parent: object, replaces: true })]),
  };
}
