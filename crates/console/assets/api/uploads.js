// The uploads of this tab. They belong to no page: they go on wherever the person is, one batch after the other.

import { get, post } from "./client.js";
import { LEFT, unfinished, upload, uploadTogether } from "./files.js";
import { isSignedIn } from "./session.js";
import { text } from "../text.js";

/**
 * @typedef {{ place: string, href: string }} Target a project's branch as the API names it, and the address of its files
 * @typedef {{ path: string, parent: string, file: File | null, replaces?: boolean }} Wanted an empty folder has no file
 * @typedef {Wanted & { target: Target, state: string, stop: AbortController, sent?: number,
 *   end?: "done" | "failed" | "cancelled", made?: string, isTogether?: boolean }} Upload `made` is the new object; one of
 *   a request of several files ends with that
 * @typedef {{ changed: () => void, ended: (batch: Upload[]) => void }} Listener
 */

/** Files up to this size go together. */
const SMALL_BYTES = 1_000_000;
const TOGETHER_FILES = 100;
const TOGETHER_BYTES = 16_000_000;

/** The uploads since there were none under way, by place. @type {Map<string, Upload[]>} */
const lists = new Map();
/** @type {Set<Listener>} */
const listeners = new Set();
/** @type {Promise<unknown>} */
let last = Promise.resolve();

const changed = () => listeners.forEach((listener) => listener.changed());

/** Calls the listener until the returned function is called. @param {Listener} listener */
export function followUploads(listener) {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

/** The uploads to a branch, until they are dismissed. @param {string} place @returns {Upload[]} */
export function uploadsTo(place) {
  return lists.get(place) ?? [];
}

/** The lists of which something is under way. */
export function openUploads() {
  return [...lists.values()].filter((list) => list.some(({ end }) => !end)).flat();
}

/** How much of an upload is done, of 1. @param {Upload} one */
export function partOf(one) {
  return one.end ? 1 : one.file ? (one.sent ?? 0) / Math.max(1, one.file.size) : 0;
}

/** Forgets the uploads to a branch, which have ended. @param {string} place */
export function dismissUploads(place) {
  lists.delete(place);
  changed();
}

/** Ends uploads that are under way, here and at the service. @param {Upload[]} some */
export function cancelUploads(some) {
  for (const one of some.filter(({ end }) => !end)) {
    Object.assign(one, { end: "cancelled", state: text.files.isCancelled });
    one.stop.abort();
  }
  changed();
}

/** Ends all uploads with the person's sign-in. What has arrived stays at the service: the same file goes on from there. */
export function leaveUploads() {
  for (const one of openUploads().filter(({ end }) => !end)) {
    one.end = "cancelled";
    one.stop.abort(LEFT);
  }
  lists.clear();
  changed();
}

/**
 * Sends files below an object, and creates empty folders; resolves with the outcomes.
 * @param {Target} target @param {{ file: File, path: string }[]} files @param {string} parent @param {string[]} [folders]
 */
export function sendFiles(target, files, parent, folders = []) {
  const interrupted = unfinished(target.place);
  return enqueue(target, [...files.map(({ file, path }) => {
    const known = interrupted.find((one) => one.name === file.name && one.size === file.size && one.modified === file.lastModified);
    return { file, path: known ? file.name : path, parent: known?.parent ?? parent, replaces: known?.replaces };
  }), ...folders.map((path) => ({ file: null, path, parent }))]);
}

/** Sends a new version of an object's file. @param {Target} target @param {File} file @param {string} object */
export function replaceFile(target, file, object) {
  return enqueue(target, [{ file, path: file.name, parent: object, replaces: true }]);
}

/** @param {Target} target @param {Wanted[]} wanted @returns {Promise<Upload[]>} */
function enqueue(target, wanted) {
  /** @type {Upload[]} */
  const batch = wanted.map((one) => ({ ...one, target, state: text.files.waits, stop: new AbortController() }));
  const before = uploadsTo(target.place);
  if (batch.length > 0) lists.set(target.place, before.every(({ end }) => end) ? batch : [...before, ...batch]);
  addEventListener("beforeunload", askToStay);
  changed();
  const done = last.then(() => run(batch)).then(() => {
    if (openUploads().length === 0) removeEventListener("beforeunload", askToStay);
    if (batch.length === 1 && batch[0].end === "done" && uploadsTo(target.place) === batch) lists.delete(target.place);
    changed();
    listeners.forEach((listener) => listener.ended(batch));
    return batch;
  });
  last = done;
  return done;
}

/** The browser asks whether the tab may close, unless the person signs out. @param {Event} event */
function askToStay(event) {
  if (isSignedIn()) event.preventDefault();
}

/** Small files go together, and the others one by one. @param {Upload[]} batch */
async function run(batch) {
  const isSmall = (/** @type {Upload} */ one) => one.file !== null && one.file.size <= SMALL_BYTES && !one.replaces;
  const small = /** @type {(Upload & { file: File })[]} */ (batch.filter(isSmall));
  while (small.length > 0) {
    /** @type {(Upload & { file: File })[]} */
    const some = [];
    let bytes = 0;
    for (let one = small[0]; one && (one.end || (some.length < TOGETHER_FILES && one.parent === (some[0] ?? one).parent
      && bytes + one.file.size <= TOGETHER_BYTES)); one = small[0]) {
      small.shift();
      if (one.end) continue;
      bytes += one.file.size;
      some.push(one);
    }
    if (some.length > 0) await sendTogether(some);
  }
  const folderOf = folders();
  for (const one of batch.filter((other) => !isSmall(other))) await sendAlone(one, folderOf);
}

/** Ends an upload, unless the person did. @param {Upload} one @param {Partial<Upload>} outcome */
function end(one, outcome) {
  if (one.end !== "cancelled") Object.assign(one, outcome);
  changed();
}

/** @param {unknown} error @returns {Partial<Upload>} */
const failure = (error) => ({ end: "failed", state: error instanceof Error ? error.message : "" });

/** @param {(Upload & { file: File })[]} some */
async function sendTogether(some) {
  // The request of several files ends once all of them are cancelled.
  const stop = new AbortController();
  for (const one of some) {
    one.isTogether = true;
    one.stop.signal.addEventListener("abort", () => { if (some.every(({ end: how }) => how)) stop.abort(); });
  }
  changed();
  try {
    const results = await uploadTogether(some[0].target.place, some[0].parent, some, stop.signal);
    some.forEach((one, at) => {
      const { error, root } = results[at];
      // The answer was faster than the person who cancelled.
      if (one.end === "cancelled" && !error) one.end = undefined;
      end(one, error ? { end: "failed", state: error.message } : { end: "done", state: text.files.isDone, made: root?.id });
    });
  } catch (error) {
    for (const one of some) end(one, failure(error));
  }
}

/** @param {Upload} one @param {ReturnType<typeof folders>} folderOf */
async function sendAlone(one, folderOf) {
  if (one.end) return;
  const { file, target: { place }, replaces = false } = one;
  const names = one.path.split("/");
  try {
    if (!file) {
      return end(one, { made: await folderOf(one, names), end: "done", state: text.files.isCreated });
    }
    const parent = replaces ? one.parent : await folderOf(one, names.slice(0, -1));
    const objects = await upload(place, parent, file, (sent) => {
      if (one.end) return;
      one.sent = sent ?? one.sent;
      one.state = sent === null ? text.files.waitsOnline(file.name)
        : text.files.sending(file.name, file.size ? Math.floor((sent / file.size) * 100) : 100);
      changed();
    }, { replaces, signal: one.stop.signal });
    end(one, { end: "done", state: text.files.isDone, made: /** @type {any} */ (objects[0])?.id });
  } catch (error) {
    end(one, failure(error));
  }
}

/** Finds or creates folders below an upload's parent. The tree is read for the first of them. */
function folders() {
  /** By parent and name. @type {Map<string, string>} */
  const made = new Map();
  /** @type {any[] | null} */
  let tree = null;
  return async (/** @type {Upload} */ { target, parent }, /** @type {string[]} */ names) => {
    let on = parent;
    for (const name of names) {
      tree ??= /** @type {any[]} */ ((await get(`/projects/${target.place}/tree`)).tree);
      const key = `${on}/${name}`;
      const known = made.get(key) ?? tree.find((node) => node.parent === on && node.name === name && !node.file)?.id;
      on = known ?? (await post(`/projects/${target.place}/objects`, { name, type: "Folder", parent: on })).object.id;
      made.set(key, on);
    }
    return on;
  };
}
