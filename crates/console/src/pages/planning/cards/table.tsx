// The grid of cards with its head. Keys act on the active card and field.

import { useComputed } from "@preact/signals";
import { useRef } from "preact/hooks";
import { isEmpty } from "../../../model/planning/board-filter";
import type { CardField, ColumnName } from "../../../model/planning/card-table";
import { isFieldColumn } from "../../../model/planning/field-columns";
import { isUnfiltered } from "../../../model/planning/field-filter";
import { text } from "../../../text";
import { Button } from "../../../ui/button";
import { Empty } from "../../../ui/empty";
import { Grid } from "../../../ui/grid";
import { isComposing, letterOf } from "../../../ui/keys";
import { editField, openCardOf } from "./edit";
import { CardRow, classOf, GroupRow, ROW_PX } from "./row";
import { clearFilters, sortBy, type TableView } from "./view";

/** Widths of the columns, in the terms of CSS grids, and the least that they need. */
const WIDTHS: Record<CardField, [string, number]> = {
  key: ["64px", 64], name: ["minmax(160px, 3fr)", 160], column: ["minmax(92px, 1fr)", 92], priority: ["60px", 60],
  type: ["minmax(80px, .6fr)", 80], assignees: ["72px", 72], tags: ["minmax(72px, 1.2fr)", 72],
  sprint: ["minmax(72px, 1.2fr)", 72], effort: ["52px", 52], due: ["84px", 84], project: ["minmax(72px, 1fr)", 72],
};
const CUSTOM_WIDTH: [string, number] = ["minmax(96px, 1fr)", 96];
const widthOf = (field: ColumnName) => (isFieldColumn(field) ? CUSTOM_WIDTH : WIDTHS[field]);
const [BOX_PX, GAP_PX, EDGES_PX] = [24, 12, 32];

export function Table({ view }: { view: TableView }) {
  const { table, table: { board } } = view;
  const current = useComputed(() => table.rows.value.find((row) =>
    row.kind === "card" && row.entry.card.id === table.active.value)?.key ?? "");
  if (table.shown.value.length === 0) return <Nothing view={view} />;
  const fields = table.fields.value;
  const least = fields.reduce((sum, field) => sum + widthOf(field)[1] + GAP_PX, BOX_PX + EDGES_PX);
  const cells = [`${BOX_PX}px`, ...fields.map((field) => widthOf(field)[0])].join(" ");
  const active = table.active.value;
  return (
    <Grid label={text.cards.table} rows={table.rows.value} rowHeight={ROW_PX} keyOf={({ key }) => key}
      head={<Head view={view} />} current={current.value}
      active={table.field.value === "name" ? `row-${active}` : `cell-${active}-${table.field.value}`}
      attributes={{
        tabIndex: 0, "aria-describedby": "cards-keys", "aria-multiselectable": true,
        "aria-rowcount": board.cards.value.length + 1, style: { "--cells": cells, "--least": `${least}px` },
        onKeyDown: (event) => onKey(event, view), onClick: (event) => onClick(event, view),
      }}>
      {(row, top) => (row.kind === "group" ? <GroupRow key={row.key} row={row} top={top} span={fields.length + 1} />
        : <CardRow key={row.key} card={row.entry.card} status={row.entry.status} at={row.at} top={top} view={view} />)}
    </Grid>
  );
}

function Nothing({ view }: { view: TableView }) {
  const { table: { board, fieldFilter }, href } = view;
  if (board.cards.value.length > 0 || !isEmpty(board.filter.value) || !isUnfiltered(fieldFilter.value)) {
    return (
      <Empty>
        <p>{text.cards.noMatch}</p>
        <Button name={text.cards.clear} onClick={() => clearFilters(view)} />
      </Empty>
    );
  }
  return <Empty><p>{text.cards.empty}</p><a class="button primary" href={href}>{text.board.title}</a></Empty>;
}

function Head({ view }: { view: TableView }) {
  const { table } = view;
  const every = useRef<HTMLInputElement>(null);
  const [count, all] = [table.chosen.value.size, table.order.value.length];
  return (
    <div class="grid-row grid-head" role="row">
      <span role="columnheader">
        <input ref={every} type="checkbox" aria-label={text.cards.selectsAll} checked={count > 0 && count === all}
          indeterminate={count > 0 && count < all}
          onChange={() => (every.current?.checked ? table.selectAll() : table.unselect())} />
      </span>
      {table.fields.value.map((field) => (
        <span key={field} role="columnheader" class={classOf(table, field)}
          aria-sort={table.sort.value !== field ? "none" : table.isDescending.value ? "descending" : "ascending"}>
          <button type="button" data-sort={field} onClick={() => sortBy(view, field)}>
            <span dir="auto">{table.nameOf(field)}</span>
          </button>
        </span>
      ))}
    </div>
  );
}

function onClick(event: MouseEvent, view: TableView): void {
  const { table } = view;
  const target = event.target instanceof Element ? event.target : null;
  const id = target?.closest<HTMLElement>("[data-card]")?.dataset.card;
  if (!id || target?.closest("[popover], a")) return;
  const cell = target?.closest<HTMLElement>("[data-field]");
  const field = (cell?.dataset.field ?? "name") as ColumnName;
  table.active.value = id;
  table.field.value = field;
  if (event.shiftKey) return table.select(id);
  if (event.ctrlKey || event.metaKey || !cell) return table.toggle(id);
  table.go(table.order.peek().indexOf(id));
  if (field === "name") openCardOf(view, id);
  else editField(view, id, field, cell);
}

function onKey(event: KeyboardEvent & { currentTarget: HTMLElement }, view: TableView): void {
  if (event.target !== event.currentTarget || event.altKey || isComposing(event)) return;
  const { table } = view;
  const grid = event.currentTarget;
  const page = Math.max(1, Math.floor(grid.clientHeight / ROW_PX) - 2);
  const [id, field, extend] = [table.active.peek(), table.field.peek(), event.shiftKey];
  const edit = (own: ColumnName) => {
    const cell = grid.querySelector(`#${CSS.escape(`cell-${id}-${own}`)}`);
    if (cell) editField(view, id, own, cell);
  };
  const across = getComputedStyle(grid).direction === "rtl" ? -1 : 1;
  const keys: Record<string, () => void> = {
    ArrowDown: () => table.step(1, extend), ArrowUp: () => table.step(-1, extend),
    ArrowRight: () => table.stepField(across), ArrowLeft: () => table.stepField(-across),
    PageDown: () => table.step(page, extend), PageUp: () => table.step(-page, extend),
    Home: () => table.go(0, extend), End: () => table.go(Infinity, extend),
    x: () => { if (id) table.toggle(id); }, X: () => { if (id) table.select(id); },
    Enter: () => { if (id) (field === "name" ? openCardOf(view, id) : edit(field)); },
    F2: () => edit(field), e: () => edit("name"), a: () => edit("assignees"), l: () => edit("tags"),
    m: () => edit("column"), p: () => edit("priority"), t: () => edit("type"),
    // With nothing selected, Escape closes what is open beside the table.
    ...(table.chosen.peek().size > 0 ? { Escape: () => table.unselect() } : {}),
  };
  const held = event.ctrlKey || event.metaKey;
  const letter = letterOf(event);
  const act = held ? (letter.toLowerCase() === "a" ? () => table.selectAll() : undefined) : keys[letter];
  if (!act) return;
  event.preventDefault();
  event.stopPropagation();
  act();
}
