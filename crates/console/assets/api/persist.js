// Requests that are sent again while the network or the service is away.

/** A new idempotency key, to keep for as long as the same thing is tried. `randomUUID` is missing where a page comes without TLS. */
export function newKey() {
  return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

const TRIES = 4;
const FIRST_PAUSE_MS = 300;

let isAway = false;

/**
 * Fetches what may be asked for once more: at most four times, with growing pauses or those that the service asks for.
 * The document hears `reached` when an answer comes after none did.
 * @param {string} url @param {RequestInit} request @param {boolean} isSafe whether a request whose answer was lost may be sent again
 * @returns {Promise<Response | null>} the last answer; `null` without one
 */
export async function persist(url, request, isSafe) {
  for (let attempt = 1; ; attempt += 1) {
    const answer = await fetch(url, request).catch((error) => {
      if (request.signal?.aborted) throw error;
      return null;
    });
    if (answer && isAway) document.dispatchEvent(new Event("reached"));
    isAway = !answer;
    const isLater = !answer || answer.status === 503 || answer.status === 429;
    if (!isLater || !isSafe || attempt === TRIES) return answer;
    await pause(Number(answer?.headers.get("Retry-After")) * 1000 || FIRST_PAUSE_MS * 2 ** (attempt - 1));
  }
}

/** @param {number} ms */
export function pause(ms) {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
