// Lists that are read again when somebody else may have changed them.

import { follow } from "../api/events.js";

/** Events come in bursts; a list is read once after each. */
const BURST_MS = 100;

/**
 * Reads a list again after the events at `path` that concern it, and once some may be missing, until the returned function is called.
 * @param {string} path @param {(event: import("../api/events.js").Event) => boolean} concerns @param {() => Promise<unknown>} load
 */
export function readAgain(path, concerns, load) {
  let timer = 0;
  const later = () => {
    clearTimeout(timer);
    // A read that fails leaves what is shown; the next event reads again.
    timer = window.setTimeout(() => void load().catch(() => {}), BURST_MS);
  };
  const stop = follow(`/api/v2${path}`, (event) => { if (event.type === "resync" || concerns(event)) later(); }, later);
  return () => {
    clearTimeout(timer);
    stop();
  };
}

/** Reads a list without events again when the person comes back to the page. @param {() => Promise<unknown>} load */
export function readWhenSeen(load) {
  // A read that fails leaves what is shown; coming back another time reads again.
  const seen = () => { if (document.visibilityState === "visible") void load().catch(() => {}); };
  document.addEventListener("visibilitychange", seen);
  return () => document.removeEventListener("visibilitychange", seen);
}
