// The lanes of an open board, and the moves of cards in and between them. Without lanes, the board is one.

import { computed, signal } from "@preact/signals";
import type { BoardCard } from "../../api/planning/boards";
import { text } from "../../text";
import type { Board } from "./board";
import { indexAmong, type Columns, type Direction } from "./columns";
import { isFieldColumn } from "./field-columns";
import { fieldGroups } from "./field-groups";
import { LaneMoves, type LaneApi } from "./lane-moves";
import { valuesAfter, type BoardTag, type LaneStep } from "./lane-values";
import { laneOf, lanesOf, neighbourIn, placeInColumn, stepIn, type Cell, type Lane, type LaneField, type LaneKind }
  from "./lanes";
import { tell, tellFailure } from "../messages";

export class BoardLanes {
  readonly kind = signal<LaneKind | null>(null);
  /** The lanes with the cards that the filter shows; null without lanes. */
  readonly lanes = computed(() => {
    const kind = this.kind.value;
    const field = this.#field.value;
    // Of a field that the board doesn't show it has no values.
    if (!kind || (isFieldColumn(kind) && !field)) return null;
    return lanesOf(this.board.shown.value, kind, this.board.cards.value, { field, chosen: this.#moves.lanes.value });
  });
  readonly #field = computed((): LaneField | undefined => {
    const { shownFields } = this.board;
    const column = this.kind.value && shownFields.lane(this.kind.value);
    const names = { person: (id: string) => shownFields.people.value.get(id) ?? "", day: (iso: string) => iso };
    return column ? { column, groupsOf: ({ fields }) => fieldGroups(column, fields, names) } : undefined;
  });
  readonly board: Board;
  readonly #moves: LaneMoves;

  constructor(board: Board, api?: LaneApi) {
    this.board = board;
    this.#moves = new LaneMoves(board, api);
  }

  /** The shown cards in the order in which people read them. */
  order(): string[] {
    const parts = this.lanes.value?.map(({ columns }) => columns) ?? [this.board.shown.value];
    return parts.flat().flatMap(({ cards }) => cards.map(({ id }) => id));
  }

  /** Moves a card to a place among the others of a cell. In another lane it takes the lane's value. */
  move(id: string, cell: Cell, at: number): void {
    const lanes = this.lanes.value;
    const card = this.board.card(id);
    const from = laneOf(lanes ?? [], id);
    if (!lanes || !card || !from) return this.board.move(id, cell.column, at);
    const to = lanes.find((lane) => lane.id === cell.lane) ?? from;
    const others = othersIn(this.board.shown.value, cell.column, id);
    const place = placeInColumn(others, othersIn(to.columns, cell.column, id), at);
    if (to.id === from.id) return this.board.move(id, cell.column, place);
    const index = indexAmong(othersIn(this.board.columns.value, cell.column, id), others, place);
    this.#withTag(card, to, (tag) => this.#change(card, { from, to, tag }, cell.column, index));
  }

  /** Moves a card by one step among the shown cards, columns and lanes. */
  moveBy(card: string, step: Direction): void {
    const lanes = this.lanes.value;
    if (!lanes) return this.board.moveBy(card, step);
    const place = stepIn(lanes, card, step);
    if (place) this.move(card, place.cell, place.at);
  }

  /** The card to which an arrow key goes. */
  neighbour(card: string, step: Direction): string | undefined {
    return this.lanes.value ? neighbourIn(this.lanes.value, card, step) : this.board.neighbour(card, step);
  }

  #change({ id, name }: BoardCard, { from, to, tag }: Pick<LaneStep, "tag"> & { from: Lane; to: Lane },
    column: string, index: number): void {
    const [kind, card] = [this.kind.value, this.board.card(id)];
    if (!kind || !card) return;
    const step = { kind, from, to, tag, column: this.#field.value?.column, parent: this.board.card(to.id) };
    const values = valuesAfter(card, step);
    if (typeof values === "string") return void tell(text.board.refused(name, values), { bad: true });
    const next = (now: BoardCard) => {
      const again = valuesAfter(now, step);
      return typeof again === "string" ? {} : again;
    };
    this.#moves.move(id, from.id, { column, index, lane: to.id, values: next });
    const status = this.board.columns.value.find((one) => one.status.id === column)?.status;
    this.board.spoken.value = text.lanes.moved(name, to.name, status?.name ?? "");
  }

  /** Goes on with the tag of a lane in the card's project, which is read where no card of the board has it. */
  #withTag({ project_id: project }: BoardCard, { id }: Lane, go: (tag: BoardTag | undefined) => void): void {
    const known = this.kind.value === "tags" && id ? this.#moves.knownTag(project, id) : undefined;
    if (known || this.kind.value !== "tags" || !id) return go(known);
    this.#moves.tagNamed(project, id).then(go, tellFailure);
  }
}

const othersIn = (columns: Columns, column: string, card: string) =>
  columns.find(({ status }) => status.id === column)?.cards.filter(({ id }) => id !== card) ?? [];
