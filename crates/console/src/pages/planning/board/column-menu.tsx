// The menu of a column's head, and the dialogs that make, change, limit and delete columns.

import type { BoardColumn } from "../../../api/planning/boards";
import { newKey } from "../../../api/persist";
import type { BoardColumns, ColumnFields } from "../../../model/planning/board-columns";
import { collapsed, toggleCollapsed } from "../../../model/planning/collapsed";
import { text } from "../../../text";
import { ask } from "../../../ui/dialog";
import { Field } from "../../../ui/form";
import type { MenuEntry, MenuOptions } from "../../../ui/menu-state";
import { ColorPicker, Select } from "../../../ui/picker";
import type { BoardView } from "./view";

type Names = Record<string, string>;
const choicesOf = (names: Names) => Object.entries(names).map(([value, name]) => ({ value, name }));

export function columnMenu({ columns }: BoardView, id: string): MenuOptions {
  const name = columns.find(id)?.status.name ?? "";
  const entries = (): MenuEntry[] => {
    const at = columns.all.findIndex(({ status }) => status.id === id);
    const column = columns.all[at];
    if (!column) return [];
    return [
      { name: text.columns.change, run: () => askChange(columns, column) },
      { name: text.columns.limit, run: () => askLimit(columns, column) },
      { name: collapsed.value.has(id) ? text.columns.expand : text.columns.collapse, part: "place",
        run: () => toggleCollapsed(id) },
      ...(at > 0 ? [{ name: text.columns.left, part: "place", run: () => columns.move(id, at - 1) }] : []),
      ...(at < columns.all.length - 1
        ? [{ name: text.columns.right, part: "place", run: () => columns.move(id, at + 1) }] : []),
      { name: text.columns.createAfter, part: "place", run: () => askColumn(columns, id) },
      { name: text.columns.delete, danger: true, part: "end", run: () => askDelete(columns, column) },
    ];
  };
  return { label: text.columns.settings(name), entries };
}

function Inputs({ column }: { column?: BoardColumn }) {
  return (
    <>
      <Field label={text.columns.name} name="column-name" value={column?.status.name ?? ""} required />
      <ColorPicker label={text.columns.color} name="column-color" value={column?.status.color ?? "#808080"} />
      <Select label={text.columns.state} name="column-state" choices={choicesOf(text.columns.states)}
        value={column?.status.transition_state ?? "started"} />
    </>
  );
}

const fieldsOf = (form: FormData): ColumnFields => ({
  name: String(form.get("column-name")),
  color: String(form.get("column-color")).toUpperCase(),
  transitionState: String(form.get("column-state")) as ColumnFields["transitionState"],
});

/** Makes a column, at the end or after another. */
export function askColumn(columns: BoardColumns, after?: string): void {
  const key = newKey();
  ask({ title: text.columns.create, action: text.columns.makes, cancel: text.cancel, fields: <Inputs />,
    send: (form) => columns.create(fieldsOf(form), after ?? columns.all.at(-1)?.status.id, key) });
}

function askChange(columns: BoardColumns, column: BoardColumn): void {
  ask({ title: text.columns.change, action: text.board.save, cancel: text.cancel, fields: <Inputs column={column} />,
    send: (form) => columns.change(column.status.id, fieldsOf(form)) });
}

function askLimit(columns: BoardColumns, { status }: BoardColumn): void {
  ask({
    title: text.columns.limit, action: text.board.save, cancel: text.cancel,
    fields: <>
      <Field label={text.columns.most} name="column-limit" type="number" min={0} help={text.columns.mostHelp}
        value={status.wip_limit === null ? "" : String(status.wip_limit)} />
      <Select label={text.columns.unit} name="column-unit" choices={choicesOf(text.columns.units)}
        value={status.wip_unit} />
      <Select label={text.columns.policy} name="column-policy" choices={choicesOf(text.columns.policies)}
        value={status.wip_policy} />
    </>,
    send: (form) => {
      const most = String(form.get("column-limit"));
      return columns.limit(status.id, {
        wipLimit: most ? Number(most) : null,
        wipUnit: String(form.get("column-unit")) as typeof status.wip_unit,
        wipPolicy: String(form.get("column-policy")) as typeof status.wip_policy,
      });
    },
  });
}

function askDelete(columns: BoardColumns, column: BoardColumn): void {
  const others = columns.all.filter(({ status }) => status.id !== column.status.id);
  const count = column.card_count;
  if (count === 0) return columns.delete(column.status.id, null);
  ask({
    title: text.columns.deleteTitle(column.status.name), action: text.columns.deletes, cancel: text.cancel,
    danger: true,
    fields: <>
      <p>{others.length === 0 ? text.columns.deletesLast(count) : text.columns.deletesCards(count)}</p>
      {others.length > 0 && (
        <Select label={text.columns.moveTo} name="column-to"
          choices={others.map(({ status }) => ({ value: status.id, name: status.name }))} />
      )}
    </>,
    send: async (form) => {
      const to = form.get("column-to");
      if (to) columns.delete(column.status.id, String(to));
    },
  });
}
