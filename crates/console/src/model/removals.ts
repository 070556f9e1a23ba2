// Entries of a list that are removed for the person at once, and sent after the time in which that can be taken back.

import { signal } from "@preact/signals";
import { deleteLater } from "./undo";

interface Removal {
  id: string;
  name: string;
  /** The message in which it can be taken back. */
  says: string;
  send: () => Promise<unknown>;
}

export class Removals {
  readonly #hidden = signal<ReadonlySet<string>>(new Set());

  /** The entries that are shown: a list that is read again still has those whose removal waits. */
  shown<Entry>(all: readonly Entry[], idOf: (entry: Entry) => string): readonly Entry[] {
    const hidden = this.#hidden.value;
    return hidden.size === 0 ? all : all.filter((entry) => !hidden.has(idOf(entry)));
  }

  later({ id, name, says, send }: Removal): void {
    const show = () => { this.#hidden.value = new Set([...this.#hidden.peek()].filter((one) => one !== id)); };
    deleteLater({
      name,
      says,
      hide: () => { this.#hidden.value = new Set([...this.#hidden.peek(), id]); },
      restore: show,
      send: () => send().then(show),
    });
  }
}
