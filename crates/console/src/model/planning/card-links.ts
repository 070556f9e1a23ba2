// The cards that are linked to objects of a project, from the history of its cards, which is read once and then from
// where it ended.

import type { NewCardFields } from "../../api/planning/custom-fields";
import { createLinkedCard, readCard, readHistoryAfter, type Card, type HistoryRow } from "../../api/planning/links";

/** Most pages of a history that are read at once. */
const PAGES = 50;

export const linksApi = { history: readHistoryAfter, card: readCard, create: createLinkedCard };
export type LinksApi = typeof linksApi;

type Change = { before?: string | null; after?: string | null };

export class CardLinks {
  readonly #project: string;
  readonly #api: LinksApi;
  readonly #cards = new Map<string, Set<string>>();
  #after: string | null = null;
  #reading: Promise<void> = Promise.resolve();

  constructor(project: string, api: LinksApi = linksApi) {
    this.#project = project;
    this.#api = api;
  }

  /** The cards of an object, open ones first. */
  async of(objectId: string): Promise<Card[]> {
    this.#reading = this.#reading.catch(() => {}).then(() => this.#read());
    await this.#reading;
    const ids = [...this.#cards.get(objectId) ?? []];
    // A card that can't be read any more hides none of the others.
    const cards = await Promise.all(ids.map((id) => this.#api.card(this.#project, id).catch(() => null)));
    return cards.filter((card) => card !== null).sort((one, other) => Number(other.is_open) - Number(one.is_open));
  }

  /** Makes a card about an object; returns its id. */
  create(objectId: string, card: NewCardFields, key: string): Promise<string> {
    return this.#api.create(this.#project, objectId, card, key);
  }

  async #read(): Promise<void> {
    for (let page = 0; page < PAGES; page += 1) {
      const { history, hasMore } = await this.#api.history(this.#project, this.#after);
      for (const row of history) this.#note(row);
      this.#after = history.at(-1)?.sequence ?? this.#after;
      if (!hasMore) return;
    }
  }

  #note({ kind, cardId, changes }: HistoryRow): void {
    if (kind === "deleted") for (const cards of this.#cards.values()) cards.delete(cardId);
    if (kind !== "linked" && kind !== "unlinked") return;
    const { before, after } = (changes as Record<string, Change | undefined>).object_id ?? {};
    if (kind === "unlinked") this.#cards.get(String(before))?.delete(cardId);
    else this.#cards.set(String(after), (this.#cards.get(String(after)) ?? new Set()).add(cardId));
  }
}
