// Files of a project: uploads in pieces that resume after a reload, and downloads, with the data plane's grants.

import { ApiError, get, newKey, post } from "./client.js";
import { pause } from "./persist.js";
import { text } from "../text.js";

/**
 * @typedef {{ id: string, token: string, uploads: string, bulk: string }} Access
 * @typedef {{ name: string, size: number, modified: number, parent: string, replaces: boolean, url: string }} Unfinished
 */

const PIECE_BYTES = 4 * 1024 * 1024;
const TRIES = 6;
const TUS = { "Tus-Resumable": "1.0.0" };
/** Why a signal is aborted that leaves what has arrived at the service, from where the same file goes on. */
export const LEFT = "left";

/** The uploads in pieces that this page is sending, by the keys of their records. @type {Set<string>} */
const sending = new Set();

/** The session of this tab on a project's branch, opened for the first upload. @param {string} project */
async function access(project) {
  const key = `files:${project}`;
  const kept = sessionStorage.getItem(key);
  const id = kept ? JSON.parse(kept).id : null;
  // Only the service can say that the session has ended: a lost connection must not leave its uploads behind.
  const unlessRefused = (/** @type {unknown} */ error) => {
    if (error instanceof ApiError && error.status > 0 && error.status < 500 && error.status !== 429) return null;
    throw error;
  };
  const again = id ? (await get(`/projects/${project}/sessions/${id}`).catch(unlessRefused))?.session : null;
  if (again && again.status !== "no_session") {
    const grant = await post(`/projects/${project}/sessions/${id}/grant`, {}, { key: undefined }).catch(unlessRefused);
    if (grant) return keep(key, { ...again, dataPlane: grant.dataPlane });
  }
  return keep(key, await post(`/projects/${project}/sessions`));
}

/** The id of this tab's session on a project's branch. @param {string} project */
export async function sessionOf(project) {
  return (await access(project)).id;
}

/** @param {string} key @param {any} session @returns {Access} */
function keep(key, session) {
  const { sessionId: id, resumableUrl: uploads, bulkUrl: bulk, dataPlane } = session;
  // The grant stays in memory.
  sessionStorage.setItem(key, JSON.stringify({ id }));
  return { id, token: dataPlane.token, uploads, bulk };
}

/** The uploads of a project's branch that a reload or a failure has interrupted. @param {string} project @returns {Unfinished[]} */
export function unfinished(project) {
  return Object.keys(sessionStorage).filter((key) => key.startsWith(`upload:${project}:`) && !sending.has(key))
    .map((key) => JSON.parse(sessionStorage.getItem(key) ?? "{}"));
}

/** Forgets an interrupted upload, here and at the service. @param {string} project @param {Unfinished} one */
export function forget(project, one) {
  sessionStorage.removeItem(keyOf(project, one.parent, one.name, one.size, one.modified));
  return giveUp(project, one.url);
}

/** Has the service discard the received pieces. Where it can't be told, they expire there. @param {string} project @param {string} url */
async function giveUp(project, url) {
  for (let tries = 1; tries <= TRIES; tries += 1) {
    const answer = await access(project).then(({ token }) =>
      fetch(url, { method: "DELETE", headers: { ...TUS, Authorization: `Bearer ${token}` } })).catch(() => null);
    // The piece that was on its way may be arriving yet.
    if (answer && answer.status !== 409 && answer.status !== 423 && answer.status < 500) return;
    await pause(300 * 2 ** tries);
  }
}

/** @param {string} project @param {string} parent @param {string} name @param {number} size @param {number} modified */
function keyOf(project, parent, name, size, modified) {
  return `upload:${project}:${parent}:${name}:${size}:${modified}`;
}

/**
 * Uploads a file below `parent`, or as the new version of that object's file. The same file after a reload goes on
 * where it was. With an aborted `signal` it ends, here and at the service, unless the reason is `LEFT`. Without a network it
 * waits, which `progress` is told by `null`.
 * @param {string} project @param {string} parent @param {File} file @param {(sent: number | null) => void} progress
 * @param {{ replaces: boolean, signal: AbortSignal }} options
 */
export async function upload(project, parent, file, progress, options) {
  const name = keyOf(project, parent, file.name, file.size, file.lastModified);
  sending.add(name);
  try {
    return await sendPieces(name, project, parent, file, progress, options);
  } finally {
    sending.delete(name);
  }
}

/**
 * @param {string} name @param {string} project @param {string} parent @param {File} file @param {(sent: number | null) => void} progress
 * @param {{ replaces: boolean, signal: AbortSignal }} options
 */
async function sendPieces(name, project, parent, file, progress, { replaces, signal }) {
  /** @type {Access | null} */
  let grant = null;
  let url = JSON.parse(sessionStorage.getItem(name) ?? "{}").url ?? "";
  let offset = -1;
  for (let tries = 0; ;) {
    try {
      signal.throwIfAborted();
      if (!grant) {
        grant = await access(project);
        offset = url ? await offsetOf(url, grant.token) : -1;
      }
      if (offset < 0) {
        url = await begin(grant, parent, file, replaces);
        sessionStorage.setItem(name, JSON.stringify({ name: file.name, size: file.size, modified: file.lastModified, parent,
          replaces, url }));
        offset = 0;
      }
      progress(offset);
      while (offset < file.size) {
        const piece = file.slice(offset, offset + PIECE_BYTES);
        const headers = { ...TUS, Authorization: `Bearer ${grant.token}`, "Upload-Offset": String(offset),
          "Content-Type": "application/offset+octet-stream" };
        const answer = await fetch(url, { method: "PATCH", headers, body: piece, signal });
        if (!answer.ok) throw await refusal(answer);
        offset = Number(answer.headers.get("Upload-Offset"));
        tries = 0;
        progress(offset);
      }
      const done = await fetch(url, { headers: { ...TUS, Authorization: `Bearer ${grant.token}` } });
      if (!done.ok) throw await refusal(done);
      sessionStorage.removeItem(name);
      return Object.values((await done.json()).object ?? {});
    } catch (error) {
      if (signal.aborted) {
        if (signal.reason !== LEFT) {
          sessionStorage.removeItem(name);
          if (url) await giveUp(project, url);
        }
        throw error;
      }
      const status = error instanceof ApiError ? error.status : 0;
      const passing = status === 0 || status === 401 || status === 409 || status === 423 || status >= 500;
      if (!passing || (tries += 1) > TRIES) throw status ? error : new Error(text.errors.network);
      grant = null;
      if (navigator.onLine) await pause(300 * 2 ** tries);
      else {
        progress(null);
        await backOnline(signal);
      }
    }
  }
}

/** @param {string} text */
function base64(text) {
  return btoa(Array.from(new TextEncoder().encode(text), (byte) => String.fromCharCode(byte)).join(""));
}

/** @param {Access} grant @param {string} parent @param {File} file @param {boolean} replaces */
async function begin(grant, parent, file, replaces) {
  const at = grant.uploads.replace("{parentId}", encodeURIComponent(parent));
  const headers = { ...TUS, Authorization: `Bearer ${grant.token}`, "Upload-Length": String(file.size),
    "Upload-Metadata": `filename ${base64(file.name)}${replaces ? `,replaces ${base64(parent)}` : ""}` };
  const answer = await fetch(at, { method: "POST", headers });
  if (!answer.ok) throw await refusal(answer);
  return new URL(answer.headers.get("Location") ?? "", at).href;
}

/**
 * Uploads small files with their folders in one request. The answer has the outcome of each.
 * @param {string} project @param {string} parent @param {{ file: File, path: string }[]} files @param {AbortSignal} signal
 * @returns {Promise<{ path: string, root?: { id: string }, error?: { message: string } }[]>}
 */
export async function uploadTogether(project, parent, files, signal) {
  const key = newKey();
  for (let tries = 0; ; tries += 1) {
    signal.throwIfAborted();
    const grant = await access(project);
    const form = new FormData();
    for (const { file, path } of files) form.append("file", file, path);
    const headers = { Authorization: `Bearer ${grant.token}`, "Idempotency-Key": key };
    const at = grant.bulk.replace("{parentId}", encodeURIComponent(parent));
    const answer = await fetch(at, { method: "POST", headers, body: form, signal }).catch(() => null);
    signal.throwIfAborted();
    if (answer?.ok) return (await answer.json()).files;
    const passing = !answer || answer.status === 401 || answer.status === 429 || answer.status >= 500;
    if (!passing || tries >= TRIES) throw answer ? await refusal(answer) : new Error(text.errors.network);
    await pause(300 * 2 ** tries);
  }
}

/** The received bytes, or -1 for an upload that is gone. @param {string} url @param {string} token */
async function offsetOf(url, token) {
  const answer = await fetch(url, { method: "HEAD", headers: { ...TUS, Authorization: `Bearer ${token}` } });
  if (answer.ok) return Number(answer.headers.get("Upload-Offset"));
  if ([403, 404, 410].includes(answer.status)) return -1;
  throw new ApiError(answer.status, {});
}

/** Resolves when the browser has a network again, or when `signal` ends the wait. @param {AbortSignal} signal */
function backOnline(signal) {
  return new Promise((resolve) => {
    addEventListener("online", () => resolve(undefined), { once: true, signal });
    signal.addEventListener("abort", () => resolve(undefined), { once: true });
  });
}

/** @param {Response} answer */
async function refusal(answer) {
  const said = await answer.json().catch(() => ({}));
  return new ApiError(answer.status, said.error ?? {});
}

/**
 * The content of an object's file. `place` is the project, with the branch where it isn't the default one; with `commit`
 * the file is that of a commit.
 * @param {string} place @param {string} id @param {string} extension @param {string} [commit]
 */
export async function download(place, id, extension, commit) {
  const grant = await post(`/projects/${place}/download-grants`, {}, { key: undefined });
  const url = grant.downloadUrl.replace("{fileName}", encodeURIComponent(id + extension));
  const at = commit ? `${url}?commit=${commit}` : url;
  const answer = await fetch(at, { headers: { Authorization: `Bearer ${grant.dataPlane.token}` } });
  if (!answer.ok) throw await refusal(answer);
  return answer.blob();
}
