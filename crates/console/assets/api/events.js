// Live events: what changed, as it happens, from the service's streams.

import { pause } from "./client.js";
import { token } from "./session.js";

/**
 * @typedef {{ type: string, id: string, data: any }} Event
 */

const RETRY_MS = 1000;
const LONGEST_RETRY_MS = 30_000;

/**
 * Follows a team's events until the returned function is called.
 * @param {string} org @param {string} team @param {(event: Event) => void} heard @param {() => void} [begun]
 */
export function followTeam(org, team, heard, begun) {
  return follow(`/api/v2/orgs/${org}/teams/${team}/events`, heard, begun);
}

/**
 * Follows the stream at `path`; after an interruption it goes on from the last event. It ends when the reader has lost
 * access. `begun` is told when the stream has begun with the present: what was read before may be older.
 * @param {string} path @param {(event: Event) => void} heard @param {() => void} [begun]
 */
export function follow(path, heard, begun) {
  const stop = new AbortController();
  // A page that the browser keeps for going back would keep its connection, of which there are six.
  addEventListener("pagehide", () => stop.abort(), { signal: stop.signal });
  void (async () => {
    let last = "";
    for (let wait = RETRY_MS; !stop.signal.aborted; wait = Math.min(wait * 2, LONGEST_RETRY_MS)) {
      const headers = new Headers({ Accept: "text/event-stream", Authorization: `Bearer ${token()}` });
      if (last) headers.set("Last-Event-ID", last);
      try {
        const answer = await fetch(path, { headers, signal: stop.signal, cache: "no-store" });
        if (answer.status >= 400 && answer.status < 500 && answer.status !== 429) return;
        if (answer.ok && answer.body) {
          wait = RETRY_MS;
          if (!last) begun?.();
          for await (const event of read(answer.body)) {
            last = event.id || last;
            if (event.data) heard(event);
          }
        }
      } catch {
        if (stop.signal.aborted) return;
      }
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
