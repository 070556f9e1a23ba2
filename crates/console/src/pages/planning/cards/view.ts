// The state of the table's page beside its model: the cell that is edited, and what the address and the browser keep.

import { computed, signal, useSignalEffect, type ReadonlySignal, type Signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { Sprint } from "../../../api/cards";
import { Bulk } from "../../../model/planning/bulk";
import { CardTable, FIELDS, GROUPINGS, type CardField, type Grouping } from "../../../model/planning/card-table";
import type { OpenBoard } from "../../../model/planning/open-board";
import type { CardContext } from "../../../model/planning/card-around";
import type { OpenedTeam } from "../../../model/planning/team";
import { search, setParameters } from "../../../ui/address";
import type { FilterSource } from "../../parts/filter-bar";

export interface TableView {
  table: CardTable;
  bulk: Bulk;
  opened: OpenedTeam;
  sprints: ReadonlySignal<readonly Sprint[]>;
  filters: FilterSource;
  context: CardContext;
  /** The address of the team. */
  href: string;
  /** The cell that is typed in, by its card and field. */
  editing: Signal<{ id: string; field: CardField } | null>;
}

const hiddenKey = ({ board }: CardTable) => `hidden-fields:${board.path.teamId}`;

export function tableView({ board, opened, sprints }: OpenBoard): TableView {
  const { orgId, teamId } = board.path;
  const table = new CardTable(board, sprints);
  table.hidden.value = new Set((localStorage.getItem(hiddenKey(table)) ?? "").split(" ").filter(isField));
  const columns = computed(() => board.columns.value.map(({ status }) => status));
  const shown = computed(() => table.shown.value.length);
  return {
    table, opened, sprints,
    bulk: new Bulk(board),
    filters: { filter: board.filter, cards: board.cards, shown, sprints, columns, me: opened.caller.id },
    context: { board, teamOf: (team) => ({ orgId, teamId: team }) },
    href: `/orgs/${orgId}/teams/${teamId}`,
    editing: signal(null),
  };
}

const isField = (name: string): name is CardField => FIELDS.some((field) => field === name);
const isGrouping = (name: string): name is Grouping => GROUPINGS.some((one) => one === name);

/** Keeps the order and the groups in the address, and the hidden fields in the browser. */
export function useKept({ table }: TableView): void {
  const parameters = search.value;
  useEffect(() => {
    const now = search.peek();
    const [sort, group] = [now.get("sort") ?? "", now.get("group") ?? ""];
    table.sort.value = isField(sort) ? sort : "column";
    table.isDescending.value = now.get("order") === "desc";
    table.grouping.value = isGrouping(group) ? group : "";
  }, [parameters]);
  useSignalEffect(() => localStorage.setItem(hiddenKey(table), [...table.hidden.value].join(" ")));
  useEffect(() => () => table.close(), [table]);
}

export function sortBy({ table }: TableView, field: CardField): void {
  table.sortBy(field);
  const isUsual = table.sort.peek() === "column" && !table.isDescending.peek();
  setParameters({ sort: isUsual ? null : table.sort.peek(), order: table.isDescending.peek() ? "desc" : null });
}

export const groupBy = (grouping: Grouping) => setParameters({ group: grouping || null });
