// Requests to the control plane: retries with the same idempotency key, a cache by ETag, and errors in words.

import { newKey, persist } from "./persist.js";
import { expire, renew, token } from "./session.js";
import { text } from "../text.js";

export { newKey };

/**
 * @typedef {{ path: string, rule: string, message: string }} Issue
 * @typedef {{ body?: unknown, key?: string, signal?: AbortSignal, match?: string }} Options
 */

const BASE = "/api/v2";
const CACHED = 50;

/** @type {Map<string, { tag: string, answer: any }>} */
const cache = new Map();
/** @type {string | undefined} */
let cachedFor;

/** A refusal of the service. Its message is for people. */
export class ApiError extends Error {
  /** @param {number} status @param {{ code?: string, message?: string, details?: any }} error */
  constructor(status, error) {
    super(inWords(error.details?.issues ?? [], () => undefined) || error.message || text.errors.failed);
    this.status = status;
    this.code = error.code ?? "";
    this.details = error.details ?? {};
  }

  /** The message with a form's own names of fields. @param {(field: string) => string | undefined} label */
  say(label) {
    return inWords(this.details.issues ?? [], label) || this.message;
  }
}

/** Broken rules as people read them: fields by their names, and days instead of moments. @param {Issue[]} issues @param {(field: string) => string | undefined} label */
function inWords(issues, label) {
  return issues.map(({ path, message }) => {
    const field = path.replace(/^(body|query)\./, "");
    const known = /** @type {Record<string, string>} */ (text.errors.fields);
    const said = message.replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, (moment) =>
      new Date(moment).toLocaleDateString(undefined, { day: "numeric", month: "short", year: "numeric" }));
    return `${label(field) ?? known[field] ?? field} ${said}`;
  }).join("; ");
}

/** Answers that were asked for before their page has asked. @type {Map<string, Promise<any>>} */
let early = new Map();

/** Asks for what the page that is being opened will read. What the page before it has left is forgotten. @param {string[]} paths */
export function ahead(paths) {
  early = new Map(paths.map((path) => [path, call("GET", path, {})]));
  // A refusal is the page's to show.
  for (const answer of early.values()) answer.catch(() => {});
}

/** @param {string} path @param {Options} [options] @returns {Promise<any>} */
export function get(path, options = {}) {
  const known = early.get(path);
  early.delete(path);
  return known ?? call("GET", path, options);
}
/** @param {string} path @param {unknown} [body] @param {Options} [options] @returns {Promise<any>} */
export const post = (path, body, options) => call("POST", path, { body: body ?? {}, key: newKey(), ...options });
/** @param {string} path @param {unknown} body @returns {Promise<any>} */
export const put = (path, body) => call("PUT", path, { body });
/** @param {string} path @param {unknown} body @returns {Promise<any>} */
export const patch = (path, body) => call("PATCH", path, { body });
/** @param {string} path @returns {Promise<any>} */
export const remove = (path) => call("DELETE", path);

/**
 * Changes or deletes what a GET of the path has answered, unless it has changed since.
 * @param {"PATCH" | "DELETE"} method @param {string} path @param {unknown} [body] @returns {Promise<any>}
 */
export async function changeKnown(method, path, body) {
  if (!cache.has(path)) await get(path);
  return call(method, path, { body, match: cache.get(path)?.tag });
}

/** All entries of a list, page by page. @param {string} path @param {string} name @returns {Promise<any[]>} */
export async function all(path, name) {
  const entries = [];
  const separator = path.includes("?") ? "&" : "?";
  for (let cursor = ""; ;) {
    const next = cursor ? `&cursor=${encodeURIComponent(cursor)}` : "";
    const page = await get(`${path}${separator}limit=100${next}`);
    entries.push(...page[name]);
    if (!page.meta?.hasMore) return entries;
    cursor = page.meta.nextCursor;
  }
}

/** @param {string} method @param {string} path @param {Options} options @returns {Promise<any>} */
async function call(method, path, { body, key, signal, match } = {}) {
  // Another token may be another person's.
  if (cachedFor !== token()) cache.clear();
  cachedFor = token();
  const known = method === "GET" ? cache.get(path) : undefined;
  const headers = new Headers({ Accept: "application/json" });
  if (body !== undefined) headers.set("Content-Type", "application/json");
  if (key) headers.set("Idempotency-Key", key);
  if (match) headers.set("If-Match", match);
  if (known) headers.set("If-None-Match", known.tag);
  const content = body === undefined ? undefined : JSON.stringify(body);
  // A change without a key may have happened although its answer was lost.
  const isSafe = method !== "PATCH" && (method !== "POST" || key !== undefined);
  const ask = () => {
    const own = token();
    if (own) headers.set("Authorization", `Bearer ${own}`);
    return persist(BASE + path, { method, headers, body: content, signal, cache: "no-store" }, isSafe);
  };
  let answer = await ask();
  // A token that was ended is not renewed: its person signed out everywhere.
  const isExpired = answer?.status === 401 && (await refusal(answer.clone())).code === "CREDENTIAL_EXPIRED";
  if (isExpired && (await renew())) answer = await ask();
  if (!answer) throw new ApiError(0, { code: "NETWORK", message: text.errors.network });
  if (answer.status === 304 && known) return known.answer;
  if (answer.status === 401) expire();
  if (!answer.ok) throw new ApiError(answer.status, await refusal(answer));
  const said = await answer.json();
  const tag = answer.headers.get("ETag");
  if (method === "GET" && tag) remember(path, tag, said);
  return said;
}

/** Why the service refuses, as far as it says. @param {Response} answer */
async function refusal(answer) {
  return (await answer.json().catch(() => null))?.error ?? {};
}

/** @param {string} path @param {string} tag @param {any} answer */
function remember(path, tag, answer) {
  cache.delete(path);
  cache.set(path, { tag, answer });
  const oldest = cache.keys().next().value;
  if (cache.size > CACHED && oldest) cache.delete(oldest);
}
