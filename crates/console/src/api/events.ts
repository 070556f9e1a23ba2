// Live events: the changes that the service's streams tell, as they happen.

import { signal, type ReadonlySignal } from "@preact/signals";
import { createParser } from "eventsource-parser";
import { refusalOf } from "./errors";
import { pause } from "./persist";
import { renew, token } from "./session";

/** An event of a stream. `resync` asks to read everything again. */
export interface StreamEvent {
  type: string;
  id: string;
  /** The fields that the event's text in the API's reference names. */
  data: Readonly<Record<string, unknown>>;
}

/** The card that an event is about, if it is about one. */
export function cardOf({ data }: StreamEvent): string | undefined {
  const inner = data.data as Readonly<Record<string, unknown>> | undefined;
  return (inner?.cardId ?? data.cardId) as string | undefined;
}

/** The fields of a card that an event says have changed. */
export function fieldsOf({ data }: StreamEvent): readonly string[] {
  const inner = data.data as Readonly<Record<string, unknown>> | undefined;
  return (inner?.fields ?? data.fields ?? []) as readonly string[];
}

/** `live` follows the present, `connecting` tries to, `ended` has given up: the reader lost access. */
export type StreamState = "connecting" | "live" | "ended";

export interface Stream {
  state: ReadonlySignal<StreamState>;
  stop: () => void;
}

interface Listener {
  heard: (event: StreamEvent) => void;
  /** The stream follows the present: what was read before may be old. */
  begun?: () => void;
}

const RETRY_MS = 1000;
const LONGEST_RETRY_MS = 30_000;

/** Follows the stream at `path`; after an interruption it resumes after the last event, with a renewed token. */
export function follow(path: string, { heard, begun }: Listener): Stream {
  const stop = new AbortController();
  const state = signal<StreamState>("connecting");
  let last = "";
  // A page that the browser keeps for going back would keep its connection, of which there are six.
  addEventListener("pagehide", () => stop.abort(), { signal: stop.signal });

  const parser = createParser({ onEvent({ id, event, data }) {
    last = id ?? last;
    // A heartbeat has an id alone.
    if (data) heard({ type: event ?? "message", id: id ?? "", data: JSON.parse(data) as StreamEvent["data"] });
  } });

  async function connect(): Promise<"again" | "ended"> {
    const headers = new Headers({ Accept: "text/event-stream", Authorization: `Bearer ${token()}` });
    if (last) headers.set("Last-Event-ID", last);
    const answer = await fetch(path, { headers, signal: stop.signal, cache: "no-store" });
    if (answer.status === 401 && (await refusalOf(answer)).code === "CREDENTIAL_EXPIRED") {
      return await renew() ? "again" : "ended";
    }
    const isRefused = answer.status >= 400 && answer.status < 500 && answer.status !== 429;
    if (isRefused || answer.status === 204) return "ended";
    if (!answer.ok || !answer.body) return "again";
    state.value = "live";
    if (!last) begun?.();
    parser.reset();
    const decoder = new TextDecoder();
    for await (const bytes of chunks(answer.body)) parser.feed(decoder.decode(bytes, { stream: true }));
    return "again";
  }

  void (async () => {
    for (let wait = RETRY_MS; !stop.signal.aborted; wait = Math.min(wait * 2, LONGEST_RETRY_MS)) {
      const outcome = await connect().catch(() => "again" as const);
      if (stop.signal.aborted || outcome === "ended") break;
      if (state.value === "live") wait = RETRY_MS;
      state.value = "connecting";
      await Promise.race([pause(wait), online(stop.signal)]);
    }
    state.value = "ended";
  })();
  return { state, stop: () => stop.abort() };
}

/** Resolves when the browser has a network again. */
function online(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => { addEventListener("online", () => resolve(), { once: true, signal }); });
}

async function* chunks(body: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  // Not every browser can iterate a stream.
  const reader = body.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    yield value;
  }
}
