// A tree of any size: only the rows near the viewport are in the page. It has the focus as a whole, and names the
// selected row to screen readers.

import { useComputed, useSignal, type ReadonlySignal, type Signal } from "@preact/signals";
import { useLayoutEffect, useMemo } from "preact/hooks";
import { Icon } from "./icon";
import { memo } from "./memo";
import { treeDrop } from "./tree-drop";
import { treeKeys } from "./tree-keys";
import { rowIdOf, type TreeProps, type TreeRowView } from "./tree-rows";
import { VirtualList } from "./virtual";

/** Fingers need more room than a mouse. */
const ROW_PX = globalThis.matchMedia?.("(pointer: coarse)").matches ? 40 : 28;

export function Tree(props: TreeProps) {
  const { label, rows, selected, element, root, lead } = props;
  const [lit, drawn] = [useSignal<string | null>(null), useSignal<string | null>(null)];
  const current = selected.value;
  const isDrawn = drawn.value !== null && drawn.value === current;
  const shared = useMemo(() => ({ lit, drawn, selected, lead }), []);
  return (
    <VirtualList
      class={lit.value === root ? "tree lit" : "tree"}
      role="tree"
      label={label}
      rows={rows}
      rowHeight={ROW_PX}
      keyOf={({ id }) => id}
      {...(current === null ? {} : { current })}
      scrollerRef={element}
      attributes={{
        tabIndex: 0,
        "aria-activedescendant": isDrawn ? `object-${current}` : undefined,
        onKeyDown: (event) => treeKeys(event, props, ROW_PX),
        onClick: (event) => click(event, props),
        onContextMenu: (event) => {
          event.preventDefault();
          const id = rowIdOf(event);
          if (id) props.choose(id, "arrows");
          props.menu(id, { x: event.clientX, y: event.clientY });
        },
        ...treeDrop(props, lit),
      }}
    >
      {(row) => <Row row={row} {...shared} />}
    </VirtualList>
  );
}

function click(event: MouseEvent, { rows, selected, choose, fold }: TreeProps): void {
  const id = rowIdOf(event);
  const row = rows.find((one) => one.id === id);
  if (!row) return;
  const isTwist = event.target instanceof Element && event.target.closest(".twist") !== null;
  if (row.isUnfolded !== undefined && (isTwist || row.id === selected.peek())) fold(row.id, !row.isUnfolded);
  if (!isTwist || row.isUnfolded === undefined) choose(row.id, "pointer");
}

interface RowProps {
  row: TreeRowView;
  lit: Signal<string | null>;
  drawn: Signal<string | null>;
  selected: ReadonlySignal<string | null>;
  lead: TreeProps["lead"];
}

const Row = memo(({ row, lit, drawn, selected, lead }: RowProps) => {
  const { id, name, beside, level, place, of, isUnfolded, marks } = row;
  const isSelected = useComputed(() => selected.value === id).value;
  const isLit = useComputed(() => lit.value === id).value;
  useLayoutEffect(() => {
    if (!isSelected) return;
    drawn.value = id;
    return () => { if (drawn.peek() === id) drawn.value = null; };
  }, [isSelected]);
  return (
    <div class={isLit ? "tree-row lit" : "tree-row"} role="treeitem" id={`object-${id}`} data-id={id} draggable
      aria-level={level} aria-setsize={of} aria-posinset={place} aria-expanded={isUnfolded}
      aria-selected={isSelected} style={{ "--level": Math.min(level, 40) }}>
      <span class="twist">{isUnfolded !== undefined && <Icon name="open" />}</span>
      {lead(row)}
      <span class="name" dir="auto">{name}</span>
      {beside && <span class="beside" dir="auto" title={beside}>{beside}</span>}
      {marks.map(({ kind, sign, says }) => (
        <span key={kind} class={`change ${kind}`} title={says}>
          <span aria-hidden="true">{sign}</span><span class="unseen"> {says}</span>
        </span>
      ))}
    </div>
  );
});
