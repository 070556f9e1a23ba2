// The activity of a card: its comments and its history, oldest first.

import { signal } from "@preact/signals";
import type { Comment, HistoryRow } from "../../api/planning/cards";
import { cardApi, type CardApi } from "../../api/planning/cards";
import { reasonOf } from "../../api/errors";
import { text } from "../../text";
import { cardsOf } from "./history-words";
import type { OpenCard } from "./open-card";
import { deleteLater, record } from "../undo";

export type Entry =
  | { kind: "comment"; at: string; id: string; comment: Comment }
  | { kind: "event"; at: string; id: string; row: HistoryRow };

/** Causes to read that come together make one reading. */
const TOGETHER_MS = 60;

export class Activity {
  readonly entries = signal<readonly Entry[]>([]);
  readonly failure = signal("");
  readonly #card: OpenCard;
  readonly #api: CardApi;
  readonly #hidden = new Set<string>();
  #timer: unknown = 0;
  #turn = 0;

  constructor(card: OpenCard, api: CardApi = cardApi) {
    this.#card = card;
    this.#api = api;
  }

  /** Reads again, once for many causes of a moment. */
  later(): void {
    clearTimeout(this.#timer as number);
    this.#timer = setTimeout(() => void this.read(), TOGETHER_MS);
  }

  async read(): Promise<void> {
    const own = (this.#turn += 1);
    const { path } = this.#card;
    try {
      const [comments, rows] = await Promise.all([this.#api.comments(path), this.#api.history(path),
        this.#card.refreshAround()]);
      await this.#card.nameCards(rows.flatMap(cardsOf));
      if (own !== this.#turn) return;
      this.entries.value = [
        ...comments.filter(({ id }) => !this.#hidden.has(id))
          .map((comment): Entry => ({ kind: "comment", at: comment.createdAt, id: comment.id, comment })),
        ...rows.map((row): Entry => ({ kind: "event", at: row.occurredAt, id: row.id, row })),
      ].sort((one, other) => one.at.localeCompare(other.at));
      this.failure.value = "";
    } catch (error) {
      this.failure.value = reasonOf(error);
    }
  }

  async add(body: string, key: string): Promise<void> {
    await this.#api.addComment(this.#card.path, body, key);
    this.later();
  }

  async change(comment: Comment, body: string): Promise<void> {
    const send = async (said: string) => {
      await this.#api.changeComment(this.#card.path, comment.id, said);
      this.later();
    };
    await send(body);
    record({ name: text.card.commentEdit, undo: () => send(comment.body) });
  }

  /** Deletes a comment, after the time in which the person can take that back. */
  delete(comment: Comment): void {
    deleteLater({
      name: text.card.theComment,
      hide: () => {
        this.#hidden.add(comment.id);
        this.entries.value = this.entries.value.filter(({ id }) => id !== comment.id);
      },
      restore: () => {
        this.#hidden.delete(comment.id);
        this.later();
      },
      send: async () => {
        await this.#api.deleteComment(this.#card.path, comment.id);
        this.later();
      },
    });
  }
}
