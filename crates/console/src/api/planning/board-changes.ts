// A board with what has changed on it since it was read.

import type { components } from "../generated/control";

export type BoardCard = components["schemas"]["BoardCard"];
export type BoardColumn = components["schemas"]["BoardColumn"];
export type BoardChanges = components["schemas"]["BoardChanges"];
/** Columns with their cards, and the custom fields that these show. */
export type WholeBoard = components["schemas"]["Board"];
/** A board with its revision, of which changes can be asked for; empty if it is unknown. */
export type KnownBoard = WholeBoard & { revision: string };

/** The board as it is after changes. Columns and cards that did not change keep their identity. */
export function withChanges(known: KnownBoard, changes: BoardChanges): KnownBoard {
  const before = changes.is_whole ? [] : known.columns;
  const gone = new Set([...changes.removed_card_ids, ...changes.cards.map(({ card }) => card.id)]);
  const columns = changes.column_ids.flatMap((id) => {
    const own = before.find(({ status }) => status.id === id);
    const changed = changes.columns.find(({ status }) => status.id === id);
    const cards = cardsOf(own?.cards ?? [], gone, changes.cards.flatMap(({ status_id: column, card }) =>
      column === id ? card : []));
    if (changed) return { ...changed, cards };
    return own ? (own.cards === cards ? own : { ...own, cards }) : [];
  });
  const { team_id, revision, fields, field_users } = changes;
  return { team_id, columns, fields, field_users, revision };
}

/** The cards of a column: those that stay, and those that came or changed, by rank. */
function cardsOf(before: BoardCard[], gone: ReadonlySet<string>, now: BoardCard[]): BoardCard[] {
  const stay = before.filter(({ id }) => !gone.has(id));
  if (now.length === 0) return stay.length === before.length ? before : stay;
  // Ranks are ASCII and unlike in a column, so their order as texts is that of the service.
  return [...stay, ...now].sort((one, other) => (one.rank < other.rank ? -1 : 1));
}
