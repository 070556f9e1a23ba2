// The message to an agent that a person types. It is kept in the tab until the service has it.

import { signal } from "@preact/signals";
import { ApiError, reasonOf } from "../../api/errors";
import { newKey } from "../../api/persist";
import type { Draft } from "../../api/storage";

interface Kept {
  text: string;
  /** The words of a try without an answer, and its key. */
  tried?: string;
  key?: string;
}

export interface ComposerOptions {
  draft: Draft;
  send: (words: string, key: string) => Promise<unknown>;
  /** Told before a message is sent, and why it was refused. */
  sending: (words: string) => void;
  refused: (error: unknown) => void;
}

export class Composer {
  readonly text = signal("");
  readonly failure = signal("");
  readonly isSending = signal(false);
  readonly #options: ComposerOptions;
  #kept: Kept;

  constructor(options: ComposerOptions) {
    this.#options = options;
    this.#kept = JSON.parse(options.draft.read() ?? '{"text":""}') as Kept;
    this.text.value = this.#kept.text;
  }

  type(words: string): void {
    this.text.value = words;
    this.#keep({ ...this.#kept, text: words });
  }

  /** Sends what is typed. The same words that were sent without an answer are the same request. */
  async send(): Promise<void> {
    const words = this.text.peek().trim();
    if (!words || this.isSending.peek()) return;
    const key = this.#kept.tried === words && this.#kept.key ? this.#kept.key : newKey();
    this.#keep({ text: words, tried: words, key });
    [this.failure.value, this.isSending.value, this.text.value] = ["", true, ""];
    this.#options.sending(words);
    try {
      await this.#options.send(words, key);
      this.#keep({ text: this.text.peek() });
    } catch (error) {
      this.#takeBack(words, error);
    } finally {
      this.isSending.value = false;
    }
  }

  #takeBack(words: string, error: unknown): void {
    const typed = this.text.peek();
    this.text.value = typed ? `${words}\n${typed}` : words;
    const isLost = error instanceof ApiError && error.status === 0;
    this.#keep(isLost ? { ...this.#kept, text: this.text.peek() } : { text: this.text.peek() });
    this.failure.value = reasonOf(error);
    this.#options.refused(error);
  }

  #keep(kept: Kept): void {
    this.#kept = kept;
    if (kept.text) this.#options.draft.keep(JSON.stringify(kept));
    else this.#options.draft.end();
  }
}
