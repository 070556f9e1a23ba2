// The lanes of an open board, and the moves of cards in them. Without lanes, the board is one.

import { computed, signal } from "@preact/signals";
import type { Board } from "./board";
import type { Direction } from "./columns";
import { isFieldColumn } from "./field-columns";
import { fieldGroups } from "./field-groups";
import { laneOf, lanesOf, neighbourIn, placeInColumn, stepIn, type LaneField, type LaneKind } from "./lanes";

export class BoardLanes {
  readonly kind = signal<LaneKind | null>(null);
  /** The lanes with the cards that the filter shows; null without lanes. */
  readonly lanes = computed(() => {
    const kind = this.kind.value;
    const field = this.#field.value;
    // Of a field that the board doesn't show it has no values.
    if (!kind || (isFieldColumn(kind) && !field)) return null;
    return lanesOf(this.board.shown.value, kind, this.board.cards.value, field);
  });
  readonly #field = computed((): LaneField | undefined => {
    const { shownFields } = this.board;
    const column = this.kind.value && shownFields.lane(this.kind.value);
    const names = { person: (id: string) => shownFields.people.value.get(id) ?? "", day: (iso: string) => iso };
    return column ? { column, groupsOf: ({ fields }) => fieldGroups(column, fields, names) } : undefined;
  });
  readonly board: Board;

  constructor(board: Board) {
    this.board = board;
  }

  /** The shown cards in the order in which people read them. */
  order(): string[] {
    const parts = this.lanes.value?.map(({ columns }) => columns) ?? [this.board.shown.value];
    return parts.flat().flatMap(({ cards }) => cards.map(({ id }) => id));
  }

  /** True if a card can be moved within a lane: its value stays. */
  accepts(card: string, lane: string | undefined): boolean {
    return lane === undefined || laneOf(this.lanes.value ?? [], card)?.id === lane;
  }

  /** Moves a card to a place among the others of a column, in its lane. */
  move(card: string, to: string, at: number): void {
    const lanes = this.lanes.value;
    if (!lanes) return this.board.move(card, to, at);
    const others = (columns = this.board.shown.value) =>
      columns.find(({ status }) => status.id === to)?.cards.filter(({ id }) => id !== card) ?? [];
    this.board.move(card, to, placeInColumn(others(), others(laneOf(lanes, card)?.columns), at));
  }

  /** Moves a card by one step among the shown cards and columns. */
  moveBy(card: string, step: Direction): void {
    const lanes = this.lanes.value;
    if (!lanes) return this.board.moveBy(card, step);
    const place = stepIn(lanes, card, step);
    if (place) this.move(card, place.to, place.at);
  }

  /** The card to which an arrow key goes. */
  neighbour(card: string, step: Direction): string | undefined {
    return this.lanes.value ? neighbourIn(this.lanes.value, card, step) : this.board.neighbour(card, step);
  }
}
