// The parent and the children of an open card.

import { computed, effect, signal } from "@preact/signals";
import type { CardRead } from "../../api/planning/cards";
import { relationsApi, type ChildCard, type RelatedCard, type RelationsApi } from "../../api/planning/card-relations";
import type { NewCardFields } from "../../api/planning/custom-fields";
import { keepEqual } from "../equal";
import type { OpenCard } from "./open-card";

type Progress = CardRead["children"];

function progressOf(children: readonly ChildCard[]): Progress {
  const effortOf = (cards: readonly ChildCard[]) => cards.reduce((sum, { effort }) => sum + effort, 0);
  const closed = children.filter((child) => !child.is_open);
  return { total: children.length, closed: closed.length, effort: effortOf(children), closedEffort: effortOf(closed) };
}

export class CardFamily {
  /** The parent, once it is read. */
  readonly parent = computed(() => {
    const id = this.#card.now.value.card.parent_id;
    return id === null ? null : this.#parents.value.get(id) ?? null;
  });
  /** The cards right below, oldest first. */
  readonly children = signal<readonly ChildCard[]>([]);
  /** The count of what is done on all levels. The list is newer than the count where the count has fewer. */
  readonly progress = computed(() => {
    const [told, listed] = [this.#card.now.value.children, progressOf(this.children.value)];
    return told.total > listed.total ? told : listed;
  });
  readonly #parents = signal<ReadonlyMap<string, RelatedCard>>(new Map());
  readonly #card: OpenCard;
  readonly #api: RelationsApi;
  #turn = 0;

  constructor(card: OpenCard, api: RelationsApi = relationsApi) {
    [this.#card, this.#api] = [card, api];
  }

  /** Follows the card: reads its parent and its children whenever they may have changed. Returns the end of that. */
  follow(): () => void {
    const parent = computed(() => this.#card.now.value.card.parent_id);
    return effect(() => {
      const id = parent.value;
      // Read for its change alone: the card was read again.
      void this.#card.readings.value;
      void this.readChildren().catch(() => {});
      if (id) void this.#readParent(id).catch(() => {});
    });
  }

  async readChildren(): Promise<void> {
    const own = (this.#turn += 1);
    const children = await this.#api.children(this.#card.path);
    if (own === this.#turn) this.children.value = keepEqual(this.children.peek(), children);
  }

  /** Makes a card below this one. */
  async add(card: NewCardFields, key: string): Promise<void> {
    const made = await this.#api.create(this.#card.path, card, key);
    this.children.value = [...this.children.value.filter(({ id }) => id !== made.id), made];
    await this.#card.refresh().catch(() => {});
  }

  /** Puts the card below another one, or below none. */
  async setParent(parent: RelatedCard | null): Promise<void> {
    if (parent) this.#parents.value = new Map([...this.#parents.peek(), [parent.id, parent]]);
    await this.#card.edits.change(this.#card.path.cardId, { parent_id: parent?.id ?? null });
  }

  async #readParent(id: string): Promise<void> {
    const parent = await this.#api.read({ ...this.#card.path, cardId: id });
    this.#parents.value = new Map([...this.#parents.peek(), [id, parent]]);
  }
}
