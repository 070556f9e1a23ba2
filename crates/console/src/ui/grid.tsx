// A grid of any number of rows of one height below a head that stays: only those near the viewport are in the page.

import type { ComponentChildren, JSX } from "preact";
import { useRef } from "preact/hooks";
import { useVirtualRows } from "./virtual-rows";

export interface GridProps<Row> {
  label: string;
  /** Rows of a `treegrid` have others below them. */
  role?: "grid" | "treegrid";
  rows: readonly Row[];
  rowHeight: number;
  keyOf: (row: Row) => string;
  /** The rows of the head. */
  head: ComponentChildren;
  /** The key of the row that is scrolled into view when it changes. */
  current: string;
  /** The id of the element that keys act on, of the current row. */
  active?: string | undefined;
  attributes?: JSX.IntrinsicElements["div"];
  /** Draws a row at a height of the grid. */
  children: (row: Row, top: number) => ComponentChildren;
}

export function Grid<Row>({ label, role = "grid", rows, rowHeight, keyOf, head, current, active, attributes = {},
  children }: GridProps<Row>) {
  const scroller = useRef<HTMLDivElement>(null);
  const virtual = useVirtualRows({ count: rows.length, rowHeight, overscan: 12, head: rowHeight, scroller, current,
    placeOf: (key) => rows.findIndex((row) => keyOf(row) === key) });
  const items = virtual.getVirtualItems();
  const keyAt = (at: number) => { const row = rows[at]; return row === undefined ? "" : keyOf(row); };
  // An element that isn't in the page can't be named.
  const named = current && items.some(({ index }) => keyAt(index) === current) ? active : undefined;
  return (
    <div {...attributes} ref={scroller} class="grid" role={role} aria-label={label} aria-activedescendant={named}>
      <div role="rowgroup" class="grid-top">{head}</div>
      <div class="grid-rows" role="rowgroup" style={{ height: `${virtual.getTotalSize()}px` }}>
        {items.map(({ index, start }) => {
          const row = rows[index];
          return row === undefined ? null : children(row, start - rowHeight);
        })}
      </div>
    </div>
  );
}
