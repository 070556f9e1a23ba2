// Groups of a table of cards, and the rows that stand below them.

import type { BoardCard, BoardColumn } from "../../api/planning/boards";
import { text } from "../../text";
import { PRIORITIES, priorityName, typeName } from "./card-kinds";
import type { FieldColumn, FieldColumnName } from "./field-columns";
import { compareGroups, type FieldGroup } from "./field-groups";

export const GROUPINGS = ["column", "priority", "type", "assignees", "tags", "sprint", "project"] as const;
export type Grouping = (typeof GROUPINGS)[number] | FieldColumnName | "";

export interface TableCard {
  card: BoardCard;
  status: BoardColumn["status"];
}

/** The values that a new card of a group begins with. */
export interface GroupKey {
  id: string;
  name: string;
}

export type TableRow =
  | { kind: "card"; key: string; at: number; entry: TableCard }
  | { kind: "group"; key: string; group: GroupKey; count: number; effort: number };

/** The names by which groups are called and ordered. */
export interface GroupNames {
  /** The ids of the board's columns in their order. */
  columns: readonly string[];
  sprintName: (id: string | null) => string;
  /** The custom field, where cards are in groups by one, and the groups of a card. */
  column: FieldColumn | undefined;
  ofField: (card: BoardCard) => FieldGroup[];
}

/** The cards as rows, below the heads of their groups. A card that is in two groups comes twice. */
export function rowsOf(entries: readonly TableCard[], grouping: Grouping, names: GroupNames): TableRow[] {
  let at = 0;
  const rowOf = (entry: TableCard, group = ""): TableRow =>
    ({ kind: "card", key: `${group}${entry.card.id}`, at: at++, entry });
  if (!grouping) return entries.map((entry) => rowOf(entry));
  const groups = new Map<string, { group: GroupKey; own: TableCard[] }>();
  for (const entry of entries) {
    for (const group of groupsOf(entry, grouping, names)) {
      const known = groups.get(group.id) ?? { group, own: [] };
      known.own.push(entry);
      groups.set(group.id, known);
    }
  }
  return ordered([...groups.values()], grouping, names).flatMap(({ group, own }): TableRow[] => [
    { kind: "group", key: `group ${group.id}`, group, count: own.length,
      effort: own.reduce((sum, { card }) => sum + card.effort, 0) },
    ...own.map((entry) => rowOf(entry, `${group.id} `)),
  ]);
}

function groupsOf({ card, status }: TableCard, grouping: Grouping, names: GroupNames): GroupKey[] {
  const { sprintName, column, ofField } = names;
  const or = (groups: GroupKey[], name: string) => (groups.length > 0 ? groups : [{ id: "", name }]);
  if (column) return or(ofField(card), text.fields.without(column.name));
  switch (grouping) {
    case "assignees":
      return or(card.assignees.map(({ id, display_name: name }) => ({ id, name })), text.cards.nobody);
    case "tags": return or(card.tags.map(({ name }) => ({ id: name, name })), text.cards.untagged);
    case "sprint":
      return [{ id: card.sprint_id ?? "", name: sprintName(card.sprint_id) || text.cards.noSprint }];
    case "priority": return [{ id: card.priority, name: priorityName(card.priority) }];
    case "type": return [{ id: card.type, name: typeName(card.type) }];
    case "project": return [{ id: card.project_id, name: card.project_name }];
    default: return [{ id: status.id, name: status.name }];
  }
}

/** Groups in the order of columns or of urgency, else by name; those without a value come last. */
function ordered<Group extends { group: GroupKey }>(groups: Group[], grouping: Grouping, names: GroupNames): Group[] {
  const { column } = names;
  if (column) return groups.sort(({ group: one }, { group: other }) => compareGroups(column, one, other));
  const ids = grouping === "priority" ? PRIORITIES : names.columns;
  const ranks = new Map<string, number>(ids.map((id, at) => [id, at]));
  const collator = new Intl.Collator(undefined, { numeric: true });
  return groups.sort(({ group: one }, { group: other }) => (grouping === "column" || grouping === "priority"
    ? (ranks.get(one.id) ?? 0) - (ranks.get(other.id) ?? 0)
    : Number(!one.id) - Number(!other.id) || collator.compare(one.name, other.name)));
}
