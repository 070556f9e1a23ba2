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
  /** The parent, which may be of another project, once it is known. */
  readonly parent = computed(() => {
    const { card: { parent_id: id }, parent } = this.#card.now.value;
    if (id === null) return null;
    return parent?.id === id ? parent : this.#parents.value.get(id) ?? null;
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

  /** Follows the card: reads its children whenever they may have changed. Returns the end of that. */
  follow(): () => void {
    const parent = computed(() => this.#card.now.value.card.parent_id);
    return effect(() => {
      // Read for their changes alone: the card was read again, or has another parent.
      void [this.#card.readings.value, parent.value];
      this.#know(this.#card.now.peek().parent);
      void this.readChildren().catch(() => {});
    });
  }

  async readChildren(): Promise<void> {
    const own = (this.#turn += 1);
    const { path } = this.#card;
    const near = await this.#api.children(path);
    const { card, children: told } = this.#card.now.peek();
    // There are others: on the levels below, or in other projects.
    const far = told.total > near.length ? await this.#api.farChildren({ ...path, cardId: card.id }) : [];
    if (own === this.#turn) this.children.value = keepEqual(this.children.peek(), [...near, ...far]);
  }

  /** Makes a card below this one. */
  async add(card: NewCardFields, key: string): Promise<void> {
    const made = await this.#api.create(this.#card.path, card, key);
    this.children.value = [...this.children.value.filter(({ id }) => id !== made.id), made];
    await this.#card.refresh().catch(() => {});
  }

  /** Puts the card below another one, or below none. */
  async setParent(parent: RelatedCard | null): Promise<void> {
    this.#know(this.#card.now.peek().parent);
    this.#know(parent);
    await this.#card.edits.change(this.#card.path.cardId, { parent_id: parent?.id ?? null });
  }

  /** Keeps a parent for the time until the card is read again. */
  #know(parent: RelatedCard | null): void {
    if (parent) this.#parents.value = new Map([...this.#parents.peek(), [parent.id, parent]]);
  }
}
