// Requests to the control plane, typed by its OpenAPI document: sent again with the same idempotency key, answered
// from a cache by ETag, and refused in words.

import createClient from "openapi-fetch";
import type { paths } from "./generated/control";
import { networkError, refusalOf } from "./errors";
import { newKey, persist } from "./persist";
import { expire, renew, token } from "./session";

const CACHED = 50;
const KEY = "Idempotency-Key";
/** Paths whose answers hold grants, which are made again rather than repeated. */
const GRANTS = /\/(grant|download-grants)$/;

interface Cached {
  tag: string;
  body: string;
}

const cache = new Map<string, Cached>();
let cachedFor: string | undefined;
/** Answers that were asked for before their page has asked, by URL. */
let early = new Map<string, Promise<Response>>();

/** The typed client. Wrap its calls in `answer`, which throws refusals as `ApiError`. */
export const api = createClient<paths>({
  fetch: respond,
  // A list is one value with commas.
  querySerializer: { array: { style: "form", explode: false } },
});

/** The header by which a creation that is tried again is made once. */
export const idempotent = (key: string) => ({ [KEY]: key });

/** The body of an answer. */
export async function answer<Data>(asked: Promise<{ data?: Data; response: Response }>): Promise<Data> {
  // Refusals are thrown by `respond`, so there is a body.
  return (await asked).data as Data;
}

interface Page {
  meta?: { hasMore?: boolean; nextCursor?: string | null };
}

/** All entries of a list, page by page. */
export async function all<Answer extends Page, Entry>(
  read: (query: { limit: number; cursor?: string }) => Promise<Answer>,
  entries: (page: Answer) => readonly Entry[],
): Promise<Entry[]> {
  const found: Entry[] = [];
  for (let cursor: string | null | undefined; ;) {
    const page = await read({ limit: 100, ...(cursor ? { cursor } : {}) });
    found.push(...entries(page));
    cursor = page.meta?.nextCursor;
    if (!page.meta?.hasMore || !cursor) return found;
  }
}

/** Asks for what the page that opens will read, while its module loads. Forgets what the page before has left. */
export function ahead(addresses: readonly string[]): void {
  early = new Map(addresses.map((address) => [address, ask(new Request(address))]));
  // A refusal is the page's to show.
  for (const asked of early.values()) asked.catch(() => {});
}

/** The ETag of what a GET of the address has answered last. */
export const tagOf = (address: string) => cache.get(address)?.tag;

function respond(request: Request): Promise<Response> {
  const address = addressOf(request);
  const known = request.method === "GET" ? early.get(address) : undefined;
  early.delete(address);
  return known ?? ask(request);
}

async function ask(request: Request): Promise<Response> {
  // Another token may be another person's.
  if (cachedFor !== token()) cache.clear();
  cachedFor = token();
  const { method, headers } = request;
  const address = addressOf(request);
  const known = method === "GET" ? cache.get(address) : undefined;
  headers.set("Accept", headers.get("Accept") ?? "application/json");
  if (method === "POST" && !headers.has(KEY) && !GRANTS.test(address)) headers.set(KEY, newKey());
  if (known) headers.set("If-None-Match", known.tag);
  const got = await send(request);
  if (got.status === 304 && known) return json(known);
  if (got.status === 401) expire();
  if (!got.ok) throw await refusalOf(got);
  const tag = got.headers.get("ETag");
  if (method === "GET" && tag) remember(address, tag, await got.clone().text());
  return got;
}

let isLeaving = false;

/** The page is left: what is sent from now on outlives it. Browsers take 64 KiB of bodies so, too few for always. */
export function outlivePage(): void { isLeaving = true; }

/** Sends a request with the person's token, which is renewed once if it has expired. */
async function send(request: Request): Promise<Response> {
  const repeat = () => {
    const keepalive = isLeaving || request.method === "DELETE";
    const copy = new Request(request.clone(), { cache: "no-store", keepalive });
    const own = token();
    if (own) copy.headers.set("Authorization", `Bearer ${own}`);
    return copy;
  };
  // A change without a key may have happened although its answer was lost.
  const isSafe = request.method !== "PATCH";
  let got = await persist(repeat, isSafe);
  // A token that was ended is not renewed: its person signed out everywhere.
  const isExpired = got?.status === 401 && (await refusalOf(got.clone())).code === "CREDENTIAL_EXPIRED";
  if (isExpired && (await renew())) got = await persist(repeat, isSafe);
  if (!got) throw networkError();
  return got;
}

function addressOf(request: Request): string {
  const { pathname, search } = new URL(request.url);
  return pathname + search;
}

const json = ({ body, tag }: Cached) =>
  new Response(body, { headers: { "Content-Type": "application/json", ETag: tag } });

function remember(address: string, tag: string, body: string): void {
  cache.delete(address);
  cache.set(address, { tag, body });
  const oldest = cache.keys().next().value;
  if (cache.size > CACHED && oldest) cache.delete(oldest);
}
