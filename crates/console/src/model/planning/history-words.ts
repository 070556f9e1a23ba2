// The history of a card as sentences.

import type { HistoryRow } from "../../api/cards";
import { text } from "../../text";

/** Names of what a history refers to by ids. */
export interface Names {
  person: (id: string) => string;
  column: (id: string) => string;
  tag: (id: string) => string;
  sprint: (id: string) => string;
  object: (id: string) => string;
  /** A day in words. */
  day: (iso: string) => string;
}

interface Change {
  before: unknown;
  after: unknown;
}

interface PlacementRow {
  status_id?: string;
  sprint_id?: string | null;
}

const changeOf = (row: HistoryRow, field: string): Change =>
  (row.changes as unknown as Record<string, Change | undefined>)[field] ?? { before: null, after: null };

/** A row of the history in words; `null` for one that says nothing to people. */
export function sentence(row: HistoryRow, names: Names): string | null {
  const words = text.card.history;
  const one = (field: string) => String(changeOf(row, field).after ?? changeOf(row, field).before);
  switch (row.kind) {
    case "created": return words.created;
    case "closed": return words.closed;
    case "reopened": return words.reopened;
    case "assigned": return words.assigned(names.person(one("user_id")));
    case "unassigned": return words.unassigned(names.person(one("user_id")));
    case "tagged": return words.tagged(names.tag(one("tag_id")));
    case "untagged": return words.untagged(names.tag(one("tag_id")));
    case "linked": return words.linked(names.object(one("object_id")));
    case "unlinked": return words.unlinked(names.object(one("object_id")));
    case "commented": return changeOf(row, "comment").after === null ? words.uncommented : null;
    case "placed": case "moved": case "removed": return placed(row, names);
    case "updated": return updated(row, names);
    default: return null;
  }
}

function placed(row: HistoryRow, names: Names): string | null {
  const words = text.card.history;
  const change = changeOf(row, "team_placement");
  const [before, after] = [(change.before ?? {}) as PlacementRow, (change.after ?? {}) as PlacementRow];
  const [from, to] = [names.column(before.status_id ?? ""), names.column(after.status_id ?? "")];
  if (row.kind === "placed") return words.placed(to);
  if (row.kind === "removed") return words.removed(from);
  if (before.status_id !== after.status_id) return words.moved(from, to);
  if (before.sprint_id === after.sprint_id) return null;
  return after.sprint_id ? words.sprint(names.sprint(after.sprint_id))
    : words.noSprint(names.sprint(before.sprint_id ?? ""));
}

function updated(row: HistoryRow, names: Names): string {
  const words = text.card.history;
  const fields = Object.keys(row.changes);
  if (fields.includes("name")) return words.renamed(String(changeOf(row, "name").before));
  if (fields.includes("effort")) return words.estimated(Number(changeOf(row, "effort").after));
  if (fields.includes("deadline")) {
    const due = changeOf(row, "deadline").after;
    return due ? words.due(names.day(String(due))) : words.notDue;
  }
  return words.changed(fields.map((field) => (words.fields as Record<string, string>)[field] ?? field).join(", "));
}
