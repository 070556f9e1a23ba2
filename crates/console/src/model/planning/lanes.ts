// Lanes of a board: its cards in rows by person, tag, parent, priority or a custom field that it shows. A card
// stands in one lane, so that each card is on the board once: the one that it was moved into, else the first of those
// that it belongs to. Cards without a value stand in the last lane, which is always there to take a value away.

import type { BoardCard } from "../../api/planning/boards";
import { text } from "../../text";
import { PRIORITIES, priorityName } from "./card-kinds";
import { titleOf } from "./card-name";
import type { Columns, Direction } from "./columns";
import { isFieldColumn, type FieldColumn, type FieldColumnName } from "./field-columns";
import { compareGroups, type FieldGroup } from "./field-groups";

export const LANES = ["assignees", "tags", "parent", "priority"] as const;
export type LaneKind = (typeof LANES)[number] | FieldColumnName;

/** The lane of parents that the board doesn't have. */
const ELSEWHERE = "elsewhere";

/** The custom field of lanes, and the groups of a card. */
export interface LaneField {
  column: FieldColumn;
  groupsOf: (card: BoardCard) => FieldGroup[];
}

/** Facts beside the cards that decide their lanes. */
interface LaneFacts {
  field?: LaneField | undefined;
  /** The lanes that cards were moved into, of several that they belong to. */
  chosen?: ReadonlyMap<string, string>;
}

/** A column, or its part in a lane. */
export interface Cell {
  column: string;
  lane?: string | undefined;
}

export interface Lane {
  /** Empty for the cards without a value. */
  id: string;
  name: string;
  /** No card can be moved into it: its cards have several values. */
  isClosed: boolean;
  /** The board's columns with the lane's cards alone. */
  columns: Columns;
}

export const isLaneKind = (name: string): name is LaneKind =>
  isFieldColumn(name) || LANES.some((kind) => kind === name);

/** The lanes of columns, in their order. `all` are the board's cards, which know the names of parents. */
export function lanesOf(columns: Columns, kind: LaneKind, all: readonly BoardCard[],
  { field, chosen = new Map() }: LaneFacts = {}): Lane[] {
  const parents = new Map(all.map((card) => [card.id, titleOf(card)]));
  const none: Group = ["", noneOf(kind, field)];
  const own = (card: BoardCard) => {
    const found = field ? fieldGroupsOf(card, field) : groupsOf(card, kind, parents);
    return found.length > 0 ? found : [none];
  };
  const cards = columns.flatMap((column) => column.cards);
  if (cards.length === 0) return [];
  const groups = ordered(new Map([none, ...cards.flatMap((card) => own(card))]), kind, field);
  const ranks = new Map(groups.map(([id], at) => [id, at]));
  const lanes = groups.map(([id, name]): Lane => ({ id, name, isClosed: kind === "parent" && id === ELSEWHERE,
    columns: columns.map((column) => ({ ...column, cards: [] })) }));
  columns.forEach((column, at) => {
    for (const card of column.cards) {
      const ids = own(card).map(([id]) => id);
      const kept = ids.filter((id) => id === chosen.get(card.id));
      const places = (kept.length > 0 ? kept : ids).map((id) => ranks.get(id) ?? 0);
      lanes[Math.min(...places)]?.columns[at]?.cards.push(card);
    }
  });
  return lanes.filter((lane) => lane.id === "" || sizeOf(lane) > 0);
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

/**
 * The cell and the place in it to which a step moves a card. Beyond the first or the last card of a cell it goes into
 * the next lane that takes it.
 */
export function stepIn(lanes: readonly Lane[], card: string, { across, down }: Direction):
  { cell: Cell; at: number } | undefined {
  const from = placeOf(lanes, card);
  const column = from && lanes[from.lane]?.columns[from.column + across];
  if (!from || !column) return undefined;
  const at = from.at + down;
  const isWithin = across !== 0 || (at >= 0 && at < column.cards.length);
  let to = from.lane + (isWithin ? 0 : down);
  while (!isWithin && lanes[to] && !takes(lanes[to], card)) to += down;
  const lane = lanes[to];
  if (!lane) return undefined;
  const last = lane.columns[from.column]?.cards.length ?? 0;
  return { cell: { column: column.status.id, lane: lane.id }, at: isWithin ? Math.max(0, at) : down > 0 ? 0 : last };
}

/** False for a lane into which a card can't go: that of its own sub-cards, or a closed one. */
const takes = (lane: Lane | undefined, card: string) => lane !== undefined && !lane.isClosed && lane.id !== card;

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

/** The name of the lane without a value. */
function noneOf(kind: LaneKind, field: LaneField | undefined): string {
  if (field) return text.fields.without(field.column.name);
  switch (kind) {
    case "assignees": return text.cards.nobody;
    case "tags": return text.cards.untagged;
    case "parent": return text.card.noParent;
    default: return priorityName("none");
  }
}

/** The groups of a card by a field; one without a value has none. */
const fieldGroupsOf = (card: BoardCard, { groupsOf: groups }: LaneField) =>
  groups(card).map(({ id, name }): Group => [id, name]);

/** The groups of a card; one without a value has none. A parent that isn't on the board has no name there. */
function groupsOf(card: BoardCard, kind: LaneKind, parents: ReadonlyMap<string, string>): Group[] {
  const { parent_id: parent, priority } = card;
  switch (kind) {
    case "assignees": return card.assignees.map(({ id, display_name: name }): Group => [id, name]);
    case "tags": return card.tags.map(({ name }): Group => [name, name]);
    case "parent": return !parent ? [] : parents.has(parent) ? [[parent, parents.get(parent) ?? ""]]
      : [[ELSEWHERE, text.lanes.elsewhere]];
    default: return priority === "none" ? [] : [[priority, priorityName(priority)]];
  }
}

/** By urgency or by name; parents elsewhere, and cards without a value, come last. */
function ordered(groups: ReadonlyMap<string, string>, kind: LaneKind, field: LaneField | undefined): Group[] {
  if (field) {
    return [...groups].sort(([one, name], [other, otherName]) =>
      compareGroups(field.column, { id: one, name }, { id: other, name: otherName }));
  }
  const ranks = new Map<string, number>(PRIORITIES.map((id, at) => [id, at]));
  const last = (id: string) => (id === "" ? 2 : kind === "parent" && id === ELSEWHERE ? 1 : 0);
  const collator = new Intl.Collator(undefined, { numeric: true });
  return [...groups].sort(([one, name], [other, otherName]) => last(one) - last(other) || (kind === "priority"
    ? (ranks.get(one) ?? 0) - (ranks.get(other) ?? 0) : collator.compare(name, otherName)));
}
