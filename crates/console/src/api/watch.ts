// Reads what a page shows again whenever it may have changed, one reading at a time.

import { effect } from "@preact/signals";
import { ApiError } from "./errors";
import { follow, type Stream, type StreamEvent } from "./events";
import { isReached } from "./persist";

const RETRY_MS = 1000;
const LONGEST_RETRY_MS = 30_000;
/** Events that come together make one reading. */
const TOGETHER_MS = 100;

export interface Watch {
  state: Stream["state"];
  /** Reads again for another reason. */
  later: () => void;
  stop: () => void;
}

/**
 * Reads when the stream at `path` has begun, because the page was read before, and after each event for which `heard`
 * answers true. A reading that fails for a passing reason is tried again, at once when the service is reached.
 */
export function watch(path: string, read: () => Promise<unknown>, heard: (event: StreamEvent) => boolean): Watch {
  let [timer, delay, isReading, isMissed, retry, isStopped] = [0 as unknown, 0, false, false, 0, false];

  async function readAgain() {
    [timer, isReading, isMissed] = [0, true, false];
    // After a refusal the page keeps what it shows until the next event.
    const hasFailed = await read().then(
      () => false,
      (error: unknown) => !(error instanceof ApiError) || error.isPassing,
    );
    isReading = false;
    retry = hasFailed ? Math.min(Math.max(RETRY_MS, retry * 2), LONGEST_RETRY_MS) : 0;
    if (isMissed) later();
    else if (hasFailed) after(retry);
  }
  function after(wait: number) {
    if (isStopped || (timer !== 0 && delay <= wait)) return;
    clearTimeout(timer as number);
    delay = wait;
    timer = setTimeout(() => void readAgain(), wait);
  }
  function later() {
    if (isReading) isMissed = true;
    else after(TOGETHER_MS);
  }
  const forget = effect(() => {
    if (isReached.value && retry > 0) later();
  });
  const stream = follow(path, {
    begun: later,
    heard: (event) => {
      if (event.type === "resync" || heard(event)) later();
    },
  });
  return {
    state: stream.state,
    later,
    stop() {
      isStopped = true;
      forget();
      stream.stop();
      clearTimeout(timer as number);
    },
  };
}
