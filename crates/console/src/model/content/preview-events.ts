// Pauses between questions about previews that are being made. While a page follows its project's events, the end of
// the making ends the pause; without a stream it is as long as the service asks for.

import { effect, signal, type ReadonlySignal } from "@preact/signals";
import type { StreamState } from "../../api/events";
import { pause } from "../../api/persist";

/** Longest pause with a stream: a process that ended makes nothing more until somebody asks. */
const LONGEST_MS = 15_000;

interface Pause {
  sha256: string;
  end: () => void;
}

export class PreviewEvents {
  readonly #pauses = new Set<Pause>();
  readonly #finished = new Map<string, number>();
  readonly #isLive = signal(false);

  /** Follows the state of the stream that tells `finished`. Without it, pauses are as long as the service says. */
  follow(state: ReadonlySignal<StreamState>): () => void {
    return effect(() => {
      this.#isLive.value = state.value === "live";
      if (state.value !== "live") this.#end(() => true);
    });
  }

  /** The preview of a file is finished. */
  finished(sha256: string): void {
    this.#finished.set(sha256, this.seen(sha256) + 1);
    this.#end((one) => one.sha256 === sha256);
  }

  /** The number of times that a file's preview was finished. A question takes it along, so that no end is missed. */
  seen(sha256: string): number {
    return this.#finished.get(sha256) ?? 0;
  }

  /** A pause that events don't end. */
  readonly pause: (ms: number) => Promise<void> = pause;

  /** A pause until a file's preview is finished, or has been since the question that saw `seen`. */
  untilFinished(sha256: string, seen: number, ms: number): Promise<void> {
    if (seen !== this.seen(sha256)) return Promise.resolve();
    return new Promise((resolve) => {
      const end = () => {
        clearTimeout(timer);
        this.#pauses.delete(own);
        resolve();
      };
      const own: Pause = { sha256, end };
      const timer = setTimeout(end, this.#isLive.peek() ? LONGEST_MS : ms);
      this.#pauses.add(own);
    });
  }

  #end(isMeant: (one: Pause) => boolean): void {
    for (const one of [...this.#pauses].filter(isMeant)) one.end();
  }
}
