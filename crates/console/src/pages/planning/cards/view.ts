// The state of the table's page beside its model: the cell that is edited, and what the address and the browser keep.

import { computed, signal, useSignalEffect, type ReadonlySignal, type Signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { Sprint } from "../../../api/planning/cards";
import { Bulk } from "../../../model/planning/bulk";
import { BulkFields } from "../../../model/planning/bulk-fields";
import { GROUPINGS, type Grouping } from "../../../model/planning/card-groups";
import { CardTable, FIELDS, type CardField, type ColumnName } from "../../../model/planning/card-table";
import { isFieldColumn } from "../../../model/planning/field-columns";
import { FIELD_PARAMETER, fieldFilterOf, fieldParameterOf, type FieldFilter }
  from "../../../model/planning/field-filter";
import { TeamValues } from "../../../model/planning/team-values";
import type { OpenBoard } from "../../../model/planning/open-board";
import type { CardContext } from "../../../model/planning/card-around";
import type { ShownPage } from "../../../model/planning/saved-view";
import type { OpenedTeam } from "../../../model/planning/team";
import { isEqual } from "../../../model/equal";
import { search, setParameters } from "../../../ui/address";
import { useWhenSeen } from "../../../ui/seen";
import type { FilterSource } from "../../parts/filter-source";

export interface TableView {
  table: CardTable;
  bulk: Bulk;
  bulkFields: BulkFields;
  opened: OpenedTeam;
  sprints: ReadonlySignal<readonly Sprint[]>;
  filters: FilterSource;
  context: CardContext;
  /** The address of the team. */
  href: string;
  /** The cell that is typed in, by its card and field. */
  editing: Signal<{ id: string; field: ColumnName } | null>;
}

const hiddenKey = ({ board }: CardTable) => `hidden-fields:${board.path.teamId}`;
const chosenKey = ({ board }: CardTable) => `shown-fields:${board.path.teamId}`;
const namesIn = (key: string) => (localStorage.getItem(key) ?? "").split(" ");

export function tableView({ board, opened, sprints }: OpenBoard): TableView {
  const { orgId, teamId } = board.path;
  const table = new CardTable(board, sprints, new TeamValues(board, opened.projects.map(({ id }) => id)));
  table.hidden.value = new Set(namesIn(hiddenKey(table)).filter(isField));
  table.chosenColumns.value = new Set(namesIn(chosenKey(table)).filter(isFieldColumn));
  const columns = computed(() => board.columns.value.map(({ status }) => status));
  const shown = computed(() => table.shown.value.length);
  const bulk = new Bulk(board);
  return {
    table, opened, sprints, bulk,
    bulkFields: new BulkFields(board, bulk, table.values),
    filters: { filter: board.filter, cards: board.cards, shown, sprints, columns, me: opened.caller.id,
      fields: { filter: table.fieldFilter, columns: table.values.columns, people: table.values.people,
        set: setFieldFilter } },
    context: { board, teamOf: (team) => ({ orgId, teamId: team }) },
    href: `/orgs/${orgId}/teams/${teamId}`,
    editing: signal(null),
  };
}

const isField = (name: string): name is CardField => FIELDS.some((field) => field === name);
const isGrouping = (name: string): name is Grouping =>
  isFieldColumn(name) || GROUPINGS.some((one) => one === name);

const setFieldFilter = (filter: FieldFilter) => setParameters({ [FIELD_PARAMETER]: fieldParameterOf(filter) });

/** Keeps the order, the groups and the filter of custom fields in the address, and the shown fields in the browser. */
export function useKept({ table }: TableView): void {
  const parameters = search.value;
  useEffect(() => {
    const now = search.peek();
    const [sort, group] = [now.get("sort") ?? "", now.get("group") ?? ""];
    table.sort.value = isField(sort) || isFieldColumn(sort) ? sort : "column";
    table.isDescending.value = now.get("order") === "desc";
    table.grouping.value = isGrouping(group) ? group : "";
    const filter = fieldFilterOf(now);
    if (!isEqual(filter, table.fieldFilter.peek())) table.fieldFilter.value = filter;
    const columns = now.get("columns")?.split(",");
    if (columns) {
      table.hidden.value = new Set(FIELDS.filter((field) => field !== "name" && !columns.includes(field)));
      table.chosenColumns.value = new Set(columns.filter(isFieldColumn));
    }
  }, [parameters]);
  // The columns of a saved view stand in its address, and don't become the person's own.
  const keep = (key: string, names: Iterable<string>) => {
    if (!search.peek().get("columns")) localStorage.setItem(key, [...names].join(" "));
  };
  useSignalEffect(() => keep(hiddenKey(table), table.hidden.value));
  useSignalEffect(() => keep(chosenKey(table), table.chosenColumns.value));
  useEffect(() => {
    void table.values.readFields();
    return () => table.close();
  }, [table]);
  // Streams of teams don't tell of fields.
  useWhenSeen(() => table.values.readFields(), [table]);
}

export function sortBy({ table }: TableView, field: ColumnName): void {
  table.sortBy(field);
  const isUsual = table.sort.peek() === "column" && !table.isDescending.peek();
  setParameters({ sort: isUsual ? null : table.sort.peek(), order: table.isDescending.peek() ? "desc" : null });
}

/** The table's state, to be saved as a view. */
export function shownTable({ table }: TableView): ShownPage {
  const { board } = table;
  const [by, isDescending] = [table.sort.peek(), table.isDescending.peek()];
  return {
    layout: "table", teamId: board.path.teamId, filter: board.filter.peek(), cards: board.cards.peek(),
    fields: fieldParameterOf(table.fieldFilter.peek()),
    groupBy: table.grouping.peek() || undefined, columns: table.fields.peek(),
    order: by === "column" && !isDescending ? undefined : { by, isDescending },
  };
}

/** Shows all cards. */
export function clearFilters({ table }: TableView): void {
  table.board.filter.value = {};
  setFieldFilter({});
}

export const groupBy = (grouping: Grouping) => setParameters({ group: grouping || null });
