// The history of a card as sentences.

import type { CardAttachment } from "../../api/planning/attachments";
import type { HistoryRow } from "../../api/planning/cards";
import type { CardRelation, ChecklistItem } from "../../api/planning/card-relations";
import type { CustomField, FieldValue } from "../../api/planning/custom-fields";
import { text } from "../../text";
import { priorityName, typeName } from "./card-kinds";
import { sideOf } from "./card-relations";
import { sayValue } from "./custom-fields";

/** Names of what a history refers to by ids. */
export interface Names {
  person: (id: string) => string;
  column: (id: string) => string;
  tag: (id: string) => string;
  sprint: (id: string) => string;
  object: (id: string) => string;
  card: (id: string) => string;
  /** A custom field, unless it was deleted. */
  field: (id: string) => CustomField | undefined;
  /** A day in words. */
  day: (iso: string) => string;
}

const CUSTOM = "fields.";

interface Change {
  before: unknown;
  after: unknown;
}

type Line = Pick<ChecklistItem, "text" | "isDone">;
type NamedFile = Pick<CardAttachment, "name">;

interface PlacementRow {
  status_id?: string;
  sprint_id?: string | null;
}

const changeOf = (row: HistoryRow, field: string): Change =>
  (row.changes as unknown as Record<string, Change | undefined>)[field] ?? { before: null, after: null };

/** The ids of other cards that a row names. */
export function cardsOf(row: HistoryRow): string[] {
  const { before, after } = changeOf(row, "parent_id");
  const others = ["relation", "parent"].map((field) => {
    const other = changeOf(row, field);
    return ((other.after ?? other.before) as { id: string } | null)?.id;
  });
  return [before, after, ...others].filter((id) => typeof id === "string");
}

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
    case "linked": case "unlinked":
      if (row.changes.relation) return related(row, names);
      if (row.changes.parent) return below(row, names);
      return row.kind === "linked" ? words.linked(names.object(one("object_id")))
        : words.unlinked(names.object(one("object_id")));
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

/** A relation that began or ended, from the side of this card. */
function related(row: HistoryRow, names: Names): string {
  const words = text.card.history;
  const { before, after } = changeOf(row, "relation");
  const relation = (after ?? before) as Pick<CardRelation, "kind" | "direction"> & { id: string };
  return (after ? words.related : words.unrelated)[sideOf(relation)](names.card(relation.id));
}

/** A parent of another project that the card got or lost. */
function below(row: HistoryRow, names: Names): string {
  const words = text.card.history;
  const { before, after } = changeOf(row, "parent") as { before: { id: string } | null; after: { id: string } | null };
  return after ? words.parent(names.card(after.id)) : words.noParent(names.card(before?.id ?? ""));
}

/** A line of the checklist that was added, changed, ticked or deleted. */
function ticked(row: HistoryRow): string {
  const words = text.card.history;
  const { before, after } = changeOf(row, "checklist_item") as { before: Line | null; after: Line | null };
  if (!after) return words.removedItem(before?.text ?? "");
  if (!before) return words.addedItem(after.text);
  if (before.text !== after.text) return words.changedItem(after.text);
  return after.isDone ? words.ticked(after.text) : words.cleared(after.text);
}

/** A file that was attached or removed. */
function attached(row: HistoryRow): string {
  const words = text.card.history;
  const { before, after } = changeOf(row, "attachment") as { before: NamedFile | null; after: NamedFile | null };
  return after ? words.attached(after.name) : words.detached(before?.name ?? "");
}

/** Changed custom fields, which stand in the history as `fields.` with their ids. */
function valued(row: HistoryRow, names: Names): string[] {
  return Object.keys(row.changes).filter((key) => key.startsWith(CUSTOM)).map((key) => {
    const field = names.field(key.slice(CUSTOM.length));
    const value = changeOf(row, key).after as FieldValue | null;
    const name = field?.name ?? text.fields.gone;
    if (value === null) return text.fields.cleared(name);
    // Without its field, a value may be an id.
    return field ? text.fields.set(name, sayValue(field, value, names)) : text.card.history.changed(name);
  });
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
  if (fields.includes("start_date")) {
    const start = changeOf(row, "start_date").after;
    return start ? words.starts(names.day(String(start))) : words.notStarting;
  }
  if (fields.includes("priority")) return words.priority(priorityName(String(changeOf(row, "priority").after)));
  if (fields.includes("type")) return words.type(typeName(String(changeOf(row, "type").after)));
  if (fields.includes("parent_id")) {
    const { before, after } = changeOf(row, "parent_id");
    return after ? words.parent(names.card(String(after))) : words.noParent(names.card(String(before)));
  }
  if (fields.includes("checklist_item")) return ticked(row);
  if (fields.includes("attachment")) return attached(row);
  const custom = valued(row, names);
  if (custom.length > 0) return custom.join(", ");
  return words.changed(fields.map((field) => (words.fields as Record<string, string>)[field] ?? field).join(", "));
}
