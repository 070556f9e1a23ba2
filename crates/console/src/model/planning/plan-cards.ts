// Cards of a plan as values: those of the board in its order, then those that are on no board, and where they go.

import type { BoardCard, BoardColumn, CardPlace } from "../../api/planning/boards";
import type { AvailableCard } from "../../api/planning/sprints";
import { keepEqual } from "../equal";
import { TASK } from "./card-kinds";

type Field = "id" | "name" | "project_id" | "project_name" | "is_open" | "effort" | "deadline" | "tags";
type Shared = Pick<BoardCard, Field>;
/** Facts of cards on the board, which the service does not tell of others. */
type Marks = Pick<BoardCard, "key" | "priority" | "type" | "parent_id" | "is_blocked" | "checklist">;

export interface PlanCard extends Shared, Marks {
  assignees: BoardCard["assignees"];
  sprint_id: string | null;
  /** The id of its column; null while it is on no board. */
  column: string | null;
}

/** Where cards go. Without `before` they keep their order; null is the end of the column. */
export interface PlanPlace {
  sprint: string | null;
  column?: string | undefined;
  before?: string | null | undefined;
}

export type PlaceRequest = CardPlace & { cardId: string };

const UNMARKED: Marks = { key: null, priority: "none", type: TASK, parent_id: null, is_blocked: false,
  checklist: { total: 0, done: 0 } };

const onBoard = (card: BoardCard, column: string): PlanCard =>
  ({ ...shared(card), ...marksOf(card), sprint_id: card.sprint_id, column });
const offBoard = (card: AvailableCard): PlanCard =>
  ({ ...shared(card), ...UNMARKED, sprint_id: null, column: null });

const marksOf = ({ key, priority, type, parent_id, is_blocked, checklist }: BoardCard): Marks =>
  ({ key, priority, type, parent_id, is_blocked, checklist });

function shared(card: BoardCard | AvailableCard): Shared & Pick<PlanCard, "assignees"> {
  const { id, name, project_id, project_name, is_open, effort, deadline, tags, assignees } = card;
  return { id, name, project_id, project_name, is_open, effort, deadline, tags, assignees };
}

/** All cards, those of `before` where they are equal. */
export function planCards(
  columns: readonly BoardColumn[],
  available: readonly AvailableCard[],
  before: readonly PlanCard[] = [],
): PlanCard[] {
  const known = new Map(before.map((card) => [card.id, card]));
  return [...columns.flatMap(({ status, cards }) => cards.map((card) => onBoard(card, status.id))),
    ...available.map(offBoard)].map((card) => keepEqual(known.get(card.id), card));
}

/** The card before which a card lands that is dropped at an index of a list. Others of its column decide. */
export function landingOf(
  cards: readonly PlanCard[],
  list: readonly PlanCard[],
  at: number,
  column: string | null,
): string | null | undefined {
  const isNear = (one: PlanCard) => one.column === column;
  if (column === null) return undefined;
  const next = list.slice(at).find(isNear);
  if (next) return next.id;
  const above = list.slice(0, at).findLast(isNear);
  return above ? followerOf(cards, above) : undefined;
}

/** The next card of the same column, or null. */
export function followerOf(cards: readonly PlanCard[], { id, column }: PlanCard): string | null {
  const own = cards.filter((one) => one.column === column);
  return own[own.findIndex((one) => one.id === id) + 1]?.id ?? null;
}

/** The cards with some of them at another place, and what to ask of the API for that. */
export function withPlaced(cards: readonly PlanCard[], ids: readonly string[], place: PlanPlace) {
  const requests: PlaceRequest[] = [];
  let now = cards;
  for (const id of ids) {
    const card = now.find((one) => one.id === id);
    if (!card) continue;
    const column = place.column ?? card.column;
    const isOrdered = column !== null && (place.before !== undefined || column !== card.column);
    const others = now.filter((one) => one.id !== id);
    const after: PlanCard = { ...card, sprint_id: place.sprint, column };
    const spot = isOrdered ? neighbour(others, column, place.before) : {};
    requests.push({ cardId: id, sprintId: place.sprint, ...spot });
    now = isOrdered ? inserted(others, after, place.before) : now.map((one) => (one.id === id ? after : one));
  }
  return { cards: now, requests };
}

function neighbour(others: readonly PlanCard[], column: string, before: string | null | undefined): CardPlace {
  const own = others.filter((one) => one.column === column);
  const at = before ? own.findIndex(({ id }) => id === before) : own.length;
  const [above, below] = [own[at - 1], own[at]];
  if (above) return { statusId: column, afterCardId: above.id };
  return below ? { statusId: column, beforeCardId: below.id } : { statusId: column };
}

function inserted(others: readonly PlanCard[], card: PlanCard, before: string | null | undefined): PlanCard[] {
  const at = before ? others.findIndex(({ id }) => id === before)
    : others.findLastIndex(({ column }) => column === card.column) + 1;
  return others.toSpliced(at, 0, card);
}

/** The cards in the order of columns; those on no board come last. */
export function inOrder(cards: readonly PlanCard[], columns: readonly string[]): PlanCard[] {
  const ranks = new Map(columns.map((id, at) => [id, at]));
  const rank = ({ column }: PlanCard) => (column === null ? columns.length : ranks.get(column) ?? 0);
  return cards.toSorted((one, other) => rank(one) - rank(other));
}

export const tallyOf = (cards: readonly PlanCard[]) =>
  ({ cards: cards.length, effort: cards.reduce((sum, { effort }) => sum + effort, 0) });
