// The commits whose messages name an open card, newest first.

import { effect, signal } from "@preact/signals";
import { readCardCommits, type CardCommit } from "../../api/content/versions";
import { keepEqual } from "../equal";
import type { OpenCard } from "./open-card";

export class CardCommits {
  /** Those that were read last; without the right to read them, none. */
  readonly commits = signal<readonly CardCommit[]>([]);
  readonly #card: OpenCard;
  readonly #read: typeof readCardCommits;
  #turn = 0;

  constructor(card: OpenCard, read = readCardCommits) {
    [this.#card, this.#read] = [card, read];
  }

  /** Reads whenever the card is read, since a commit that closes it changes it. Returns the end of that. */
  follow(): () => void {
    return effect(() => {
      void this.#card.readings.value;
      void this.read().catch(() => {});
    });
  }

  async read(): Promise<void> {
    const own = (this.#turn += 1);
    const commits = await this.#read(this.#card.path);
    if (own === this.#turn) this.commits.value = keepEqual(this.commits.peek(), commits);
  }
}
