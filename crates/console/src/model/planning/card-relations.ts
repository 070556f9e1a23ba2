// A card's relations to other cards: it blocks, duplicates or is related to them. Both cards of a relation record it.

import { computed } from "@preact/signals";
import { reasonOf } from "../../api/errors";
import { relationsApi, type CardRelation, type RelatedCard,
  type RelationsApi } from "../../api/planning/card-relations";
import { text } from "../../text";
import { tellRefusal } from "../messages";
import { record } from "../undo";
import type { OpenCard } from "./open-card";

/** The sides of relations, in the order in which they are shown. */
export const SIDES = ["blockedBy", "blocks", "relates", "duplicates", "duplicatedBy"] as const;
export type Side = (typeof SIDES)[number];

type Place = Pick<CardRelation, "kind" | "direction">;

const PLACES: Record<Side, Place> = {
  blockedBy: { kind: "blocks", direction: "inward" },
  blocks: { kind: "blocks", direction: "outward" },
  relates: { kind: "relates", direction: "mutual" },
  duplicates: { kind: "duplicates", direction: "outward" },
  duplicatedBy: { kind: "duplicates", direction: "inward" },
};

/** The side of a relation, as the service writes it. */
export const sideOf = ({ kind, direction }: Place): Side =>
  SIDES.find((side) => PLACES[side].kind === kind && PLACES[side].direction === direction) ?? "relates";

export class CardRelations {
  /** The related cards by side; sides without one are left out. */
  readonly groups = computed(() => SIDES.map((side): [Side, RelatedCard[]] => [side, this.#of(side)])
    .filter(([, cards]) => cards.length > 0));
  readonly #card: OpenCard;
  readonly #api: Pick<RelationsApi, "set">;

  constructor(card: OpenCard, api: Pick<RelationsApi, "set"> = relationsApi) {
    [this.#card, this.#api] = [card, api];
  }

  has(side: Side, id: string): boolean {
    return this.#of(side).some((one) => one.id === id);
  }

  /** Relates the card to another one, or ends that: shown at once, and taken back if it is refused. */
  async set(side: Side, other: RelatedCard, is: boolean): Promise<void> {
    if (this.has(side, other.id) === is) return;
    const { path, now } = this.#card;
    const { name } = now.peek().card;
    const place = PLACES[side];
    const isInward = place.direction === "inward";
    // The card that blocks or duplicates is the one in the path, with its own project.
    const first = isInward ? { projectId: other.projectId, cardId: other.id } : path;
    const second = isInward ? path.cardId : other.id;
    this.#show(side, other, is);
    const forget = record({ name, undo: () => this.set(side, other, !is) });
    try {
      await this.#card.send(() => this.#api.set(first, second, place.kind, is));
    } catch (error) {
      forget();
      this.#show(side, other, !is);
      tellRefusal(text.card.unchanged(name, reasonOf(error)), error);
    }
    // The board marks cards that are blocked.
    this.#card.context.board?.later();
  }

  #of(side: Side): RelatedCard[] {
    return this.#card.now.value.relations.filter((one) => sideOf(one) === side).map(({ card }) => card);
  }

  #show(side: Side, other: RelatedCard, is: boolean): void {
    const { relations } = this.#card.now.peek();
    const others = relations.filter((one) => one.card.id !== other.id || sideOf(one) !== side);
    this.#card.show({ relations: is ? [...others, { ...PLACES[side], card: other }] : others });
  }
}
