// Lists of any length: only the rows near the viewport are in the page.

import type { ComponentChildren, JSX, RefObject } from "preact";
import { useRef } from "preact/hooks";
import { useVirtualRows } from "./virtual-rows";

export interface VirtualListProps<Row> {
  rows: readonly Row[];
  rowHeight: number;
  keyOf: (row: Row) => string;
  /** The row that is scrolled into view when it changes. */
  current?: string;
  class?: string;
  role?: "tree" | "list" | "grid";
  label: string;
  /** Events and other attributes of the element that scrolls, and a reference to it. */
  attributes?: JSX.IntrinsicElements["div"];
  scrollerRef?: RefObject<HTMLDivElement | null>;
  children: (row: Row, at: number) => ComponentChildren;
}

export function VirtualList<Row>(props: VirtualListProps<Row>) {
  const { rows, rowHeight, keyOf, current, role = "list", label, attributes = {}, scrollerRef, children } = props;
  const own = useRef<HTMLDivElement>(null);
  const scroller = scrollerRef ?? own;
  const virtual = useVirtualRows({ count: rows.length, rowHeight, overscan: 8, scroller, current,
    placeOf: (key) => rows.findIndex((row) => keyOf(row) === key) });
  return (
    <div {...attributes} ref={scroller} class={`virtual ${props.class ?? ""}`} role={role} aria-label={label}>
      <div class="virtual-rows" role="none" style={{ height: `${virtual.getTotalSize()}px` }}>
        {virtual.getVirtualItems().map(({ index, start }) => {
          const row = rows[index];
          return row === undefined ? null : (
            <div
              key={keyOf(row)}
              class="virtual-row"
              role="none"
              style={{ top: `${start}px`, height: `${rowHeight}px` }}
            >
              {children(row, index)}
            </div>
          );
        })}
      </div>
    </div>
  );
}
