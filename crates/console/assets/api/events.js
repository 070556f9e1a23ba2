// Live events: what changed, as it happens, from the service's streams.

import { ApiError } from "./client.js";
import { pause } from "./persist.js";
import { token } from "./session.js";

/**
 * @typedef {{ type: string, id: string, data: any }} Event
 */

const RETRY_MS = 1000;
const LONGEST_RETRY_MS = 30_000;
/** Events that come together make one reading. */
const TOGETHER_MS = 100;

/** The stream of a team's events. @param {string} org @param {string} team */
export const teamEvents = (org, team) => `/orgs/${org}/teams/${team}/events`;
/** The stream of a project's events. @param {string} project */
export const projectEvents = (project) => `/projects/${project}/events`;

/**
 * Reads what a page shows again whenever it may have changed: when the stream at `path` has begun, because the page was
 * read before, and after each event for which `heard` answers true, one reading at a time. A reading that fails for a
 * passing reason is tried again, at once when the service is reached.
 * @param {string} path @param {() => Promise<unknown>} read @param {(event: Event) => boolean} [heard]
 * @returns {{ later: () => void, stop: () => void }} `later` reads again for another reason
 */
export function watch(path, read, heard = () => true) {
  const ended = new AbortController();
  let [timer, delay, isReading, isMissed, retry] = [0, 0, false, false, 0];
  async function readAgain() {
    [timer, isReading, isMissed] = [0, true, false];
    // After a refusal the page keeps what it shows until the next event.
    const hasFailed = await read().then(() => false, mayPass);
    isReading = false;
    retry = hasFailed ? Math.min(Math.max(RETRY_MS, retry * 2), LONGEST_RETRY_MS) : 0;
    if (isMissed) later();
    else if (hasFailed) after(retry);
  }
  /** @param {number} wait */
  function after(wait) {
    if (ended.signal.aborted || (timer !== 0 && delay <= wait)) return;
    clearTimeout(timer);
    delay = wait;
    timer = window.setTimeout(() => void readAgain(), wait);
  }
  function later() {
    if (isReading) isMissed = true;
    else after(TOGETHER_MS);
  }
  const reached = () => { if (retry > 0) later(); };
  document.addEventListener("reached", reached, { signal: ended.signal });
  addEventListener("online", reached, { signal: ended.signal });
  const unfollow = follow(path, (event) => {
    if (event.type === "resync" || heard(event)) later();
  }, later);
  return {
    later,
    stop() {
      ended.abort();
      unfollow();
      clearTimeout(timer);
    },
  };
}

/** True for failures after which the same reading may succeed. @param {unknown} error */
function mayPass(error) {
  return !(error instanceof ApiError) || error.status === 0 || error.status >= 500 || error.status === 429;
}

/**
 * Reads what has no events again when the person comes back to the page, until the returned function is called.
 * @param {() => Promise<unknown>} read
 */
export function readWhenSeen(read) {
  // A reading that fails leaves what is shown; coming back another time reads again.
  const seen = () => { if (document.visibilityState === "visible") void read().catch(() => {}); };
  document.addEventListener("visibilitychange", seen);
  return () => document.removeEventListener("visibilitychange", seen);
}

/**
 * Follows the stream at `path` until the returned function is called; after an interruption it goes on from the last
 * event. It ends with what it follows, and when the reader has lost access. `begun` is told when the stream has begun
 * with the present.
 * @param {string} path @param {(event: Event) => void} heard @param {() => void} [begun]
 */
export function follow(path, heard, begun) {
  const stop = new AbortController();
  // A page that the browser keeps for going back would keep its connection, of which there are six.
  addEventListener("pagehide", () => stop.abort(), { signal: stop.signal });
  void (async () => {
    let [last, isAway] = ["", false];
    for (let wait = RETRY_MS; !stop.signal.aborted; wait = Math.min(wait * 2, LONGEST_RETRY_MS)) {
      const headers = new Headers({ Accept: "text/event-stream", Authorization: `Bearer ${token()}` });
      if (last) headers.set("Last-Event-ID", last);
      try {
        const answer = await fetch(`/api/v2${path}`, { headers, signal: stop.signal, cache: "no-store" });
        const isRefused = answer.status >= 400 && answer.status < 500 && answer.status !== 429;
        if (isRefused || answer.status === 204) return;
        if (answer.ok && answer.body) {
          wait = RETRY_MS;
          if (isAway) document.dispatchEvent(new Event("reached"));
          isAway = false;
          if (!last) begun?.();
          for await (const event of read(answer.body)) {
            last = event.id || last;
            if (event.data) heard(event);
          }
        }
      } catch {
        if (stop.signal.aborted) return;
      }
      isAway = true;
      await pause(wait);
    }
  })();
  return () => stop.abort();
}

/** @param {ReadableStream<Uint8Array>} body @returns {AsyncGenerator<Event>} */
async function* read(body) {
  const reader = body.pipeThrough(/** @type {any} */ (new TextDecoderStream())).getReader();
  for (let rest = ""; ;) {
    const { done, value } = await reader.read();
    if (done) return;
    const blocks = (rest + value).split(/\r?\n\r?\n/);
    rest = blocks.pop() ?? "";
    for (const block of blocks) {
      const event = { type: "message", id: "", data: "" };
      for (const line of block.split(/\r?\n/)) {
        const [, name, content] = /^(\w+): ?(.*)$/.exec(line) ?? [];
        if (name === "event") event.type = content;
        if (name === "id") event.id = content;
        if (name === "data") event.data += content;
      }
      // A heartbeat has an id alone.
      if (event.data || event.id) yield { ...event, data: event.data ? JSON.parse(event.data) : null };
    }
  }
}
