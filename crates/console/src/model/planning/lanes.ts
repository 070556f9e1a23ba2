// Lanes of a board: its cards in rows by person, tag, parent or priority. A card stands in one lane, the first of those
// that it belongs to, so that each card is on the board once; cards without a value stand in the last lane.

import type { BoardCard } from "../../api/boards";
import { text } from "../../text";
import { PRIORITIES, priorityName } from "./card-kinds";
import { titleOf } from "./card-name";
import type { Columns, Direction } from "./columns";

export const LANES = ["assignees", "tags", "parent", "priority"] as const;
export type LaneKind = (typeof LANES)[number];

export interface Lane {
  /** Empty for the cards without a value. */
  id: string;
  name: string;
  /** The board's columns with the lane's cards alone. */
  columns: Columns;
}

export const isLaneKind = (name: string): name is LaneKind => LANES.some((kind) => kind === name);

/** The lanes of columns, in their order. `all` are the board's cards, which know the names of parents. */
export function lanesOf(columns: Columns, kind: LaneKind, all: readonly BoardCard[]): Lane[] {
  const parents = new Map(all.map((card) => [card.id, titleOf(card)]));
  const cards = columns.flatMap((column) => column.cards);
  const groups = ordered(new Map(cards.flatMap((card) => groupsOf(card, kind, parents))), kind);
  const ranks = new Map(groups.map(([id], at) => [id, at]));
  const lanes = groups.map(([id, name]): Lane =>
    ({ id, name, columns: columns.map((column) => ({ ...column, cards: [] })) }));
  columns.forEach((column, at) => {
    for (const card of column.cards) {
      const own = groupsOf(card, kind, parents).map(([id]) => ranks.get(id) ?? 0);
      lanes[Math.min(...own)]?.columns[at]?.cards.push(card);
    }
  });
  return lanes.filter((lane) => sizeOf(lane) > 0);
}

/** The number of a lane's cards. */
export const sizeOf = ({ columns }: Lane) => columns.reduce((sum, { cards }) => sum + cards.length, 0);

/** The lane of a card. */
export const laneOf = (lanes: readonly Lane[], card: string) =>
  lanes.find(({ columns }) => columns.some(({ cards }) => cards.some(({ id }) => id === card)));

/** The card to which an arrow key goes: within the lane, then to the next one with cards in the column. */
export function neighbourIn(lanes: readonly Lane[], card: string, { across, down }: Direction): string | undefined {
  const from = placeOf(lanes, card);
  if (!from) return undefined;
  const cell = (lane: number, column: number) => lanes[lane]?.columns[column]?.cards;
  if (across !== 0) {
    let column = from.column + across;
    while (cell(from.lane, column)?.length === 0) column += across;
    const cards = cell(from.lane, column);
    return cards?.[Math.min(cards.length - 1, from.at)]?.id;
  }
  const next = cell(from.lane, from.column)?.[from.at + down];
  if (next) return next.id;
  let lane = from.lane + down;
  while (cell(lane, from.column)?.length === 0) lane += down;
  return cell(lane, from.column)?.at(down > 0 ? 0 : -1)?.id;
}

/** The column and the place in the lane to which a step moves a card; its lane stays. */
export function stepIn(lanes: readonly Lane[], card: string, { across, down }: Direction) {
  const from = placeOf(lanes, card);
  const column = from && lanes[from.lane]?.columns[from.column + across];
  return column ? { to: column.status.id, at: Math.max(0, from.at + down) } : undefined;
}

/**
 * The place in a column that a place in a lane means: before the lane's card there, or after its last one. Both lists
 * are without the moved card.
 */
export function placeInColumn(column: readonly BoardCard[], lane: readonly BoardCard[], at: number): number {
  const indexOf = (card: BoardCard | undefined) => column.findIndex(({ id }) => id === card?.id);
  const next = lane[at];
  if (next) return indexOf(next);
  return lane.length > 0 ? indexOf(lane.at(-1)) + 1 : column.length;
}

function placeOf(lanes: readonly Lane[], card: string) {
  for (const [lane, { columns }] of lanes.entries()) {
    for (const [column, { cards }] of columns.entries()) {
      const at = cards.findIndex(({ id }) => id === card);
      if (at >= 0) return { lane, column, at };
    }
  }
  return undefined;
}

/** The id and the name of a lane. */
type Group = readonly [string, string];

/** The groups of a card. A parent that isn't on the board has no name there. */
function groupsOf(card: BoardCard, kind: LaneKind, parents: ReadonlyMap<string, string>): Group[] {
  const or = (groups: Group[], name: string): Group[] => (groups.length > 0 ? groups : [["", name]]);
  const { parent_id: parent } = card;
  switch (kind) {
    case "assignees":
      return or(card.assignees.map(({ id, display_name: name }): Group => [id, name]), text.cards.nobody);
    case "tags": return or(card.tags.map(({ name }): Group => [name, name]), text.cards.untagged);
    case "parent": return [parent ? parents.has(parent) ? [parent, parents.get(parent) ?? ""]
      : ["elsewhere", text.lanes.elsewhere] : ["", text.card.noParent]];
    case "priority": return [[card.priority === "none" ? "" : card.priority, priorityName(card.priority)]];
  }
}

/** By urgency or by name; parents elsewhere, and cards without a value, come last. */
function ordered(groups: ReadonlyMap<string, string>, kind: LaneKind): Group[] {
  const ranks = new Map<string, number>(PRIORITIES.map((id, at) => [id, at]));
  const last = (id: string) => (id === "" ? 2 : kind === "parent" && id === "elsewhere" ? 1 : 0);
  const collator = new Intl.Collator(undefined, { numeric: true });
  return [...groups].sort(([one, name], [other, otherName]) => last(one) - last(other) || (kind === "priority"
    ? (ranks.get(one) ?? 0) - (ranks.get(other) ?? 0) : collator.compare(name, otherName)));
}
