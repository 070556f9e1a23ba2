// Moves of cards into other lanes: a place and other values, shown at once and sent as one request. What is refused
// goes back with the reason.

import { batch, signal } from "@preact/signals";
import type { BoardCard } from "../../api/planning/boards";
import { changeTogether, readTags, type CardOperation } from "../../api/planning/cards";
import { newKey } from "../../api/persist";
import { reasonOf } from "../../api/errors";
import { text } from "../../text";
import type { Board } from "./board";
import { operationsOf } from "./card-operations";
import { findCard, placeOf, withCard, withMoved, type Found } from "./columns";
import { namedRefusal } from "./custom-fields";
import { valuesBefore, type LaneValues } from "./lane-values";
import { tellRefusal } from "../messages";
import { record } from "../undo";

/** Requests that tests replace. */
export const laneApi = { change: changeTogether, tags: readTags };
export type LaneApi = typeof laneApi;

/** Where a card goes. */
export interface Landing {
  column: string;
  /** The place among the other cards of the whole column. */
  index: number;
  lane: string;
  values: (card: BoardCard) => LaneValues;
}

export class LaneMoves {
  /** The lanes that cards were moved into. */
  readonly lanes = signal<ReadonlyMap<string, string>>(new Map());
  readonly #board: Board;
  readonly #api: LaneApi;

  constructor(board: Board, api: LaneApi = laneApi) {
    [this.#board, this.#api] = [board, api];
  }

  /** The tag of a name in a project: one that the board has, else one that the project has. */
  async tagNamed(project: string, name: string) {
    const known = this.knownTag(project, name);
    return known ?? (await this.#api.tags(project)).find((tag) => tag.name === name && tag.status === "active");
  }

  /** The tag of a name that cards of a project have on the board. */
  knownTag(project: string, name: string) {
    return this.#board.cards.peek().filter(({ project_id: own }) => own === project)
      .flatMap(({ tags }) => tags).find((tag) => tag.name === name);
  }

  /** Moves a card out of a lane, as one step that can be undone. */
  move(id: string, from: string, landing: Landing, isUndo = false): void {
    const found = findCard(this.#board.columns.value, id);
    if (!found) return;
    const { card, column: { status }, index } = found;
    const values = landing.values(card);
    const operations = [...operationsOf(card, { ...card, ...values }), ...this.#placement(found, landing)];
    if (operations.length === 0) return this.#show(found, landing, values);
    const before = Object.fromEntries(Object.keys(values).map((name) => [name, card[name as keyof LaneValues]]));
    const back: Landing = { column: status.id, index, lane: from,
      values: (now) => valuesBefore(now, before as LaneValues, values) };
    this.#show(found, landing, values);
    const undo = () => this.move(id, landing.lane, back, true);
    const forget = isUndo ? () => {} : record({ name: card.name, undo });
    const key = newKey();
    this.#board.send(() => this.#api.change(card.project_id, operations, key)).then(
      () => this.#board.later(),
      (error: unknown) => {
        forget();
        this.#takeBack(id, landing, back);
        const named = namedRefusal(error, this.#board.shownFields.columns.peek().flatMap(({ fields }) => fields));
        const again = { name: text.errors.again, run: () => this.move(id, from, landing) };
        tellRefusal(text.board.refused(card.name, reasonOf(named)), error, again);
        this.#board.later();
      },
    );
  }

  /** The operation that places a card, if its place is another one. */
  #placement({ column: { status }, card, index: at }: Found, { column, index }: Landing): CardOperation[] {
    if (status.id === column && at === index) return [];
    const place = placeOf(column, this.#othersOf(column, card.id), index);
    return [{ op: "place", cardId: card.id, placement: { ...this.#board.path, ...place } }];
  }

  #othersOf(column: string, card: string): BoardCard[] {
    const cards = this.#board.columns.value.find(({ status }) => status.id === column)?.cards ?? [];
    return cards.filter(({ id }) => id !== card);
  }

  #show(found: Found, { column, index, lane }: Omit<Landing, "values">, values: LaneValues): void {
    const { card: { id } } = found;
    batch(() => {
      this.lanes.value = new Map([...this.lanes.peek(), [id, lane]]);
      this.#board.columns.value = withCard(withMoved(this.#board.columns.value, found, column, index), id, values);
    });
  }

  /** Shows a refused card as it was, at its place before unless it has moved on since. */
  #takeBack(id: string, landing: Landing, back: Landing): void {
    const now = findCard(this.#board.columns.value, id);
    if (!now) return;
    const isThere = now.column.status.id === landing.column;
    const place = isThere ? back : { column: now.column.status.id, index: now.index, lane: back.lane };
    this.#show(now, place, back.values(now.card));
    this.#board.spoken.value = "";
  }
}
