// The parent and the children of an open card.

import { computed, effect, signal } from "@preact/signals";
import { relationsApi, type ChildCard, type RelatedCard, type RelationsApi } from "../../api/card-relations";
import type { OpenCard } from "./open-card";

export class CardFamily {
  /** The parent, once it is read. */
  readonly parent = computed(() => {
    const id = this.#card.now.value.card.parent_id;
    return id === null ? null : this.#parents.value.get(id) ?? null;
  });
  /** The cards right below, oldest first. */
  readonly children = signal<readonly ChildCard[]>([]);
  readonly #parents = signal<ReadonlyMap<string, RelatedCard>>(new Map());
  readonly #card: OpenCard;
  readonly #api: RelationsApi;
  #turn = 0;

  constructor(card: OpenCard, api: RelationsApi = relationsApi) {
    [this.#card, this.#api] = [card, api];
  }

  /** Follows the card: reads its parent and its children whenever they may have changed. Returns the end of that. */
  follow(): () => void {
    const children = computed(() => JSON.stringify(this.#card.now.value.children));
    const parent = computed(() => this.#card.now.value.card.parent_id);
    const stops = [
      effect(() => { if (children.value) void this.readChildren().catch(() => {}); }),
      effect(() => { if (parent.value) void this.#readParent(parent.value).catch(() => {}); }),
    ];
    return () => stops.forEach((stop) => stop());
  }

  async readChildren(): Promise<void> {
    const own = (this.#turn += 1);
    const hasSome = this.#card.now.peek().children.total > 0;
    const children = hasSome ? await this.#api.children(this.#card.path) : [];
    if (own === this.#turn) this.children.value = children;
  }

  /** Makes a card below this one. */
  async add(name: string, key: string): Promise<void> {
    const made = await this.#api.create(this.#card.path, name, key);
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
