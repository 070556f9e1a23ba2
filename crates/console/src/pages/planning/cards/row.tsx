// The rows of the table: a card with its fields, or the head of a group.

import { useComputed } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useRef } from "preact/hooks";
import type { BoardCard, BoardColumn } from "../../../api/planning/boards";
import { TASK, typeName } from "../../../model/planning/card-kinds";
import type { TableRow } from "../../../model/planning/card-groups";
import type { CardField, CardTable, ColumnName } from "../../../model/planning/card-table";
import { isAddress } from "../../../model/planning/custom-fields";
import { isLate } from "../../../model/planning/due";
import { isFieldColumn, sayIn, valueIn, type FieldColumn } from "../../../model/planning/field-columns";
import { text } from "../../../text";
import { Avatar } from "../../../ui/avatar";
import { Dot, Icon } from "../../../ui/icon";
import { memo } from "../../../ui/memo";
import { Day, dayOf } from "../../../ui/time";
import { BlockedMark, CardKey, PriorityMark, TypeIcon } from "../../parts/card-marks";
import { isOpenCard } from "../../parts/card/side";
import { CellInput, CellMonth, monthOf, typedOf } from "./edit";
import type { TableView } from "./view";

export const ROW_PX = 34;

interface CardRowProps {
  card: BoardCard;
  status: BoardColumn["status"];
  /** Its index among the cards. */
  at: number;
  top: number;
  view: TableView;
}

export const CardRow = memo(({ card, status, at, top, view }: CardRowProps) => {
  const { table, bulk } = view;
  const isChosen = useComputed(() => table.chosen.value.has(card.id));
  const isActive = useComputed(() => table.active.value === card.id);
  const isOpen = useComputed(() => isOpenCard(card));
  const reason = useComputed(() => bulk.errors.value.get(card.id));
  return (
    <div class="grid-row" role="row" id={`row-${card.id}`} data-index={at} data-card={card.id} aria-rowindex={at + 2}
      aria-selected={isChosen.value} data-active={isActive.value ? "" : undefined}
      aria-current={isOpen.value ? "true" : undefined} data-wrong={reason.value ? "" : undefined}
      style={{ top: `${top}px` }}>
      <span role="gridcell">
        <input type="checkbox" tabIndex={-1} aria-hidden="true" checked={isChosen.value} />
      </span>
      {table.fields.value.map((field) => (
        <Cell key={field} field={field} card={card} view={view}>
          {field === "name" ? <Name card={card} reason={reason.value} />
            : isFieldColumn(field) ? <CustomValue column={table.column(field)} card={card} view={view} />
              : <Value field={field} {...{ card, status, view }} />}
        </Cell>
      ))}
    </div>
  );
});

/** The class of a column's cells. Custom fields of one type are drawn alike. */
export const classOf = (table: CardTable, field: ColumnName) =>
  (isFieldColumn(field) ? `cell-custom cell-custom-${table.column(field)?.type}` : `cell-${field}`);

interface CellProps {
  field: ColumnName;
  card: BoardCard;
  view: TableView;
  children: ComponentChildren;
}

function Cell({ field, card, view, children }: CellProps) {
  const element = useRef<HTMLSpanElement>(null);
  const isEdited = useComputed(() => view.editing.value?.id === card.id && view.editing.value.field === field);
  const isActive = useComputed(() => view.table.active.value === card.id && view.table.field.value === field);
  const typed = isEdited.value ? typedOf(view, card, field) : undefined;
  const month = isEdited.value ? monthOf(view, card, field) : undefined;
  return (
    <span ref={element} role="gridcell" class={classOf(view.table, field)} id={`cell-${card.id}-${field}`}
      data-field={field} data-active={isActive.value ? "" : undefined}>
      {typed ? <CellInput view={view} typed={typed} /> : children}
      {month && <CellMonth view={view} month={month} anchor={() => element.current} />}
    </span>
  );
}

function Name({ card, reason }: { card: BoardCard; reason: string | undefined }) {
  return (
    <>
      <span class={card.is_open ? "name" : "name done"} dir="auto">{card.name}</span>
      <BlockedMark card={card} />
      {reason && <span class="wrong" title={reason}><Icon name="warning" /><span dir="auto">{reason}</span></span>}
    </>
  );
}

function Value({ field, card, status, view }: Omit<CardRowProps, "at" | "top"> & { field: CardField }) {
  switch (field) {
    case "key": return <CardKey of={card.key} />;
    case "priority": return <PriorityMark priority={card.priority} />;
    case "type":
      if (card.type === TASK) return null;
      return <><TypeIcon type={card.type} /><span dir="auto">{typeName(card.type)}</span></>;
    case "column": return <><Dot color={status.color} /><span dir="auto">{status.name}</span></>;
    case "assignees":
      return <>{card.assignees.map(({ id, display_name: name }) => <Avatar key={id} name={name} of={id} />)}</>;
    case "tags": return (
      <>{card.tags.map(({ id, name, color }) => (
        <span key={id} class="tag"><Dot color={color} /><span dir="auto">{name}</span></span>
      ))}</>
    );
    case "sprint": return <span dir="auto">{view.table.sprintName(card.sprint_id)}</span>;
    case "effort": return <>{card.effort || ""}</>;
    case "due": return card.deadline ? <Day iso={card.deadline} late={isLate(card)} /> : null;
    case "project": return <span dir="auto">{card.project_name}</span>;
    default: return null;
  }
}

interface CustomValueProps {
  column: FieldColumn | undefined;
  card: BoardCard;
  view: TableView;
}

/** The value of a custom field, as people read it. */
function CustomValue({ column, card, view: { table: { values } } }: CustomValueProps) {
  const own = values.of(card.id);
  if (!column || !own) return null;
  const person = (id: string) => values.people.value.get(id) ?? text.card.former;
  const said = sayIn(column, own, { person, day: dayOf });
  const address = column.type === "url" ? String(valueIn(column, own) ?? "") : "";
  if (!isAddress(address)) return <span dir="auto" title={said}>{said}</span>;
  return <a href={address} tabIndex={-1} target="_blank" rel="noopener noreferrer nofollow ugc" dir="auto">{said}</a>;
}

export function GroupRow({ row, top, span }: { row: TableRow & { kind: "group" }; top: number; span: number }) {
  const { group, count, effort } = row;
  return (
    <div class="grid-row grid-group" role="row" style={{ top: `${top}px` }}>
      <span role="gridcell" aria-colspan={span}>
        <strong dir="auto">{group.name}</strong>
        <span class="soft">{count.toLocaleString()}</span>
        {effort > 0 && <span class="soft" title={text.board.effort}>{`Σ ${effort.toLocaleString()}`}</span>}
      </span>
    </div>
  );
}
