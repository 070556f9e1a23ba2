// Filters of cards, as they stand in the address of a board, a table and a backlog. Each but `q` has terms.

import type { BoardCard } from "../../api/planning/boards";
import { isKey, isNamed } from "./card-name";
import { isLate, isSoon, today } from "./due";
import { passes } from "./filter-terms";

/** Names of the filters in the address. */
export const FILTERS = ["assignee", "tag", "priority", "type", "parent", "blocked", "due", "state",
  "sprint", "column", "q"] as const;
export type FilterName = (typeof FILTERS)[number];
export type Filter = Partial<Record<FilterName, string>>;
/** The fields of a card that filters read. */
export type FilteredCard =
  Pick<BoardCard, "id" | "key" | "name" | "is_open" | "deadline" | "assignees" | "tags" | "priority" | "type"
    | "parent_id" | "is_blocked"> & { sprint_id?: string | null };

/** The filter of an address. */
export function filterOf(search: URLSearchParams): Filter {
  const filter: Filter = {};
  for (const name of FILTERS) {
    const value = search.get(name);
    if (value) filter[name] = value;
  }
  return filter;
}

/** The parameters of an address with a filter; those that are not set are removed. */
export function parametersOf(filter: Filter): Record<string, string | null> {
  return Object.fromEntries(FILTERS.map((name) => [name, filter[name] || null]));
}

export const isEmpty = (filter: Filter) => FILTERS.every((name) => !filter[name]);

/** For whom and when cards are filtered. */
export interface FilterContext {
  day?: string;
  /** The person for whom `me` stands. */
  me?: string;
}

/** True if a card passes the filter. Its column is not the card's own, so that is left to the caller. */
export function fits(card: FilteredCard, filter: Filter, { day = today(), me = "" }: FilterContext = {}): boolean {
  const { assignee, tag, priority, type, parent, blocked, due, state, sprint, q } = filter;
  const isAssigned = (wanted: string) => (wanted === "none" ? card.assignees.length === 0
    : card.assignees.some(({ id }) => id === (wanted === "me" ? me : wanted)));
  const hasTag = (wanted: string) => (wanted === "none" ? card.tags.length === 0
    : card.tags.some((one) => isTag(one, wanted)));
  return passes(assignee, isAssigned)
    && passes(tag, hasTag, { all: true })
    && passes(priority, (wanted) => card.priority === wanted)
    && passes(type, (wanted) => card.type === wanted)
    && passes(parent, (wanted) => (card.parent_id ?? "none") === wanted)
    && passes(blocked, (wanted) => card.is_blocked === (wanted === "true"))
    && passes(state, (wanted) => card.is_open === (wanted === "open"))
    && passes(sprint, (wanted) => (card.sprint_id ?? "none") === wanted)
    && (!q || isFound(card, q))
    && passes(due, (wanted) => isDue(card, wanted, day));
}

/** True if the filter shows cards of a column. */
export const isShown = (column: string, filter: Filter) => passes(filter.column, (wanted) => wanted === column);

/** True for a tag of the name: tags of several projects are one to people. Older addresses name one by its id. */
export const isTag = ({ id, name }: { id: string; name: string }, wanted: string) => name === wanted || id === wanted;

/** Finds by a part of the name, or by the key. */
function isFound(card: FilteredCard, q: string): boolean {
  return card.name.toLocaleLowerCase().includes(q.toLocaleLowerCase()) || (isKey(q) && isNamed(card, q));
}

function isDue(card: FilteredCard, due: string, day: string): boolean {
  switch (due) {
    case "none": return card.deadline === null;
    case "late": return isLate(card, day);
    case "week": return isSoon(card, day);
    default: return true;
  }
}
