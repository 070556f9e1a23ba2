// Requests that are sent again while the network or the service is away.

import { signal } from "@preact/signals";

const TRIES = 4;
const FIRST_PAUSE_MS = 300;

/** False from a request without an answer until the next answer. */
export const isReached = signal(true);

/** A new idempotency key, kept while the same thing is tried. `randomUUID` is missing on pages without TLS. */
export function newKey(): string {
  return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

export const pause = (ms: number) => new Promise<void>((resolve) => { setTimeout(resolve, ms); });

/** Answers of a gateway that has none of the service, and of a service that is away. */
const AWAY = new Set([502, 503, 504]);
/** A longer pause is refused rather than waited for. */
const LONGEST_PAUSE_MS = 30_000;

/**
 * Sends a request at most four times, with growing pauses or those that the service asks for.
 * `isSafe` allows to repeat a request whose answer was lost: it has an idempotency key, or none is needed.
 * Returns the last answer; `null` without one.
 */
export async function persist(request: () => Request, isSafe: boolean): Promise<Response | null> {
  let isLost = false;
  for (let attempt = 1; ; attempt += 1) {
    const sent = request();
    const answer = await fetch(sent).catch((error: unknown) => {
      if (sent.signal.aborted) throw error;
      return null;
    });
    isReached.value = answer !== null;
    const isAway: boolean = !answer || AWAY.has(answer.status) || (isLost && await isUnderWay(answer));
    // What is gone when it is deleted again was deleted the first time.
    if (isLost && sent.method === "DELETE" && answer?.status === 404) return new Response(null, { status: 204 });
    const wait = Number(answer?.headers.get("Retry-After")) * 1000 || FIRST_PAUSE_MS * 2 ** (attempt - 1);
    const mayRepeat = answer?.status === 429 || (isAway && isSafe);
    if (!mayRepeat || attempt === TRIES || wait > LONGEST_PAUSE_MS) return answer;
    isLost ||= isAway;
    await pause(wait);
  }
}

/** The first try, whose answer was lost, is still worked on. */
const isUnderWay = async (answer: Response) =>
  answer.status === 409 && (await answer.clone().text()).includes("IDEMPOTENCY_IN_PROGRESS");
