// Columns of a board as values: finding cards, moving them, and keeping what hasn't changed.

import type { BoardCard, BoardColumn, CardPlace } from "../../api/planning/boards";
import { keepEqual } from "../equal";

export type Columns = readonly BoardColumn[];

/** A card with its column and its index there. */
export interface Found {
  column: BoardColumn;
  card: BoardCard;
  index: number;
}

/** One step of an arrow key: columns across, cards down. */
export interface Direction {
  across: number;
  down: number;
}

export function findCard(columns: Columns, id: string): Found | undefined {
  for (const column of columns) {
    const index = column.cards.findIndex((card) => card.id === id);
    const card = column.cards[index];
    if (card) return { column, card, index };
  }
  return undefined;
}

/** The columns with a card at an index of another or the same column. Counts follow. */
export function withMoved(columns: Columns, { column: from, card }: Found, to: string, index: number): Columns {
  return columns.map((column) => {
    if (column !== from && column.status.id !== to) return column;
    const cards = column.cards.filter((one) => one.id !== card.id);
    if (column.status.id === to) cards.splice(index, 0, card);
    const sign = from.status.id === to ? 0 : column.status.id === to ? 1 : -1;
    return { ...column, cards, card_count: column.card_count + sign, effort: column.effort + sign * card.effort };
  });
}

/** The columns without a card. */
export function without(columns: Columns, id: string): Columns {
  const found = findCard(columns, id);
  if (!found) return columns;
  return columns.map((column) =>
    column !== found.column
      ? column
      : {
          ...column,
          cards: column.cards.filter((card) => card.id !== id),
          card_count: column.card_count - 1,
          effort: column.effort - found.card.effort,
        },
  );
}

/** The columns with a card in the place where it was found, unless it is there. */
export function withRestored(columns: Columns, { column, card, index }: Found): Columns {
  if (findCard(columns, card.id)) return columns;
  return columns.map((one) => {
    if (one.status.id !== column.status.id) return one;
    const cards = one.cards.toSpliced(index, 0, card);
    return { ...one, cards, card_count: one.card_count + 1, effort: one.effort + card.effort };
  });
}

/** The columns with one of them at another index. */
export function withColumnAt(columns: Columns, id: string, index: number): Columns {
  const column = columns.find(({ status }) => status.id === id);
  return column ? columns.filter((one) => one !== column).toSpliced(index, 0, column) : columns;
}

/** The columns without one of them, whose cards go to the end of another. */
export function withoutColumn(columns: Columns, id: string, to: string | null): Columns {
  const gone = columns.find(({ status }) => status.id === id);
  if (!gone) return columns;
  return columns.filter((one) => one !== gone).map((column) => (column.status.id !== to ? column : {
    ...column,
    cards: [...column.cards, ...gone.cards],
    card_count: column.card_count + gone.card_count,
    effort: column.effort + gone.effort,
  }));
}

/** The columns with other fields of a card. */
export function withCard(columns: Columns, id: string, changes: Partial<BoardCard>): Columns {
  const found = findCard(columns, id);
  if (!found) return columns;
  return columns.map((column) =>
    column !== found.column
      ? column
      : {
          ...column,
          cards: column.cards.map((card) => (card.id === id ? { ...card, ...changes } : card)),
          effort: column.effort + (changes.effort ?? found.card.effort) - found.card.effort,
        },
  );
}

/**
 * The index in the whole column that a place among the shown cards means: before the shown card there, or after the
 * last shown one. `others` are the column's cards without the moved one.
 */
export function indexAmong(others: readonly BoardCard[], shown: readonly BoardCard[], at: number): number {
  const next = shown[Math.max(0, at)];
  if (next) return others.indexOf(next);
  const last = shown.at(-1);
  return last ? others.indexOf(last) + 1 : others.length;
}

/** An index of a column as the API names it. */
export function placeOf(statusId: string, others: readonly BoardCard[], index: number): CardPlace {
  const [above, below] = [others[index - 1], others[index]];
  if (above) return { statusId, afterCardId: above.id };
  return below ? { statusId, beforeCardId: below.id } : { statusId };
}

/** `now` with the columns and cards of `before` that are equal. */
export function share(before: Columns, now: Columns): Columns {
  const cards = new Map(before.flatMap((column) => column.cards).map((card) => [card.id, card]));
  const columns = new Map(before.map((column) => [column.status.id, column]));
  return now.map((column) => {
    const own = { ...column, cards: column.cards.map((card) => keepEqual(cards.get(card.id), card)) };
    return keepEqual(columns.get(column.status.id), own);
  });
}

/** The cards of `now` that stood in another column before, or in none. */
export function arrivals(before: Columns, now: Columns): Set<string> {
  const places = (columns: Columns) =>
    columns.flatMap(({ status, cards }) => cards.map(({ id }) => [id, status.id] as const));
  const known = new Map(places(before));
  return new Set(places(now).flatMap(([id, column]) => (known.get(id) === column ? [] : id)));
}

/** True if the column holds more than its limit. */
export function isOver({ status, card_count: count, effort }: BoardColumn): boolean {
  return status.wip_limit !== null && (status.wip_unit === "effort" ? effort : count) > status.wip_limit;
}
