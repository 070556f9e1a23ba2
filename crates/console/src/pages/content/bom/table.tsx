// The rows of a bill below their headings. Keys go from row to row, fold them, and open their objects.

import { useComputed } from "@preact/signals";
import type { BillSort } from "../../../model/content/bill";
import { hasBelow } from "../../../model/content/bill-rows";
import { headingOf } from "../../../model/content/bill-columns";
import { projectHref } from "../../../model/content/project";
import { text } from "../../../text";
import { open } from "../../../ui/address";
import { Button } from "../../../ui/button";
import { Empty } from "../../../ui/empty";
import { Grid } from "../../../ui/grid";
import { isComposing, letterOf } from "../../../ui/keys";
import { Row, ROW_PX } from "./row";
import { chooseRoot, type BillView } from "./view";

/** Widths of columns, in the terms of CSS grids, and the least that they need. */
const WIDTHS = {
  item: ["var(--item, var(--numbers))", 0], name: ["minmax(180px, 3fr)", 180], quantity: ["72px", 72],
  property: ["minmax(104px, 1fr)", 104], file: ["minmax(128px, 1.4fr)", 128],
} as const;
const [GAP_PX, EDGES_PX] = [12, 32];
/** Width of the items' numbers: at first, with each level more, and at most. */
const NUMBERS_PX = { first: 40, level: 14, most: 110 };

interface Column {
  name: string;
  kind: keyof typeof WIDTHS;
  sort: BillSort;
  help?: string;
}

export function Table({ view }: { view: BillView }) {
  const { bill } = view;
  const rows = bill.shown.value;
  const columns = columnsOf(view);
  const active = useComputed(() => rows.some(({ key }) => key === bill.active.value) ? bill.active.value : "").value;
  const deepest = useComputed(() => bill.rows.value.reduce((most, { row: { level } }) => Math.max(most, level), 0));
  if (rows.length === 0) return <Nothing view={view} />;
  const widths = columns.map(({ kind }) => WIDTHS[kind]);
  const numbers = Math.min(NUMBERS_PX.first + NUMBERS_PX.level * deepest.value, NUMBERS_PX.most);
  const least = widths.reduce((sum, [, px]) => sum + px + GAP_PX, EDGES_PX - GAP_PX);
  return (
    <Grid label={text.bom.table} role={bill.isFlat.value ? "grid" : "treegrid"} rows={rows} rowHeight={ROW_PX}
      keyOf={({ key }) => key} head={<Head view={view} columns={columns} />} current={active}
      active={`row-${active}`}
      attributes={{
        tabIndex: 0, "aria-describedby": "bom-keys", "aria-rowcount": rows.length + 1,
        style: { "--cells": widths.map(([width]) => width).join(" "), "--numbers": `${numbers}px`,
          "--least": `calc(${least}px + var(--item, ${numbers}px))` },
        onKeyDown: (event) => onKey(event, view), onClick: (event) => onClick(event, view),
      }}>
      {(row, top) => <Row key={row.key} row={row} top={top} bill={bill} />}
    </Grid>
  );
}

function columnsOf({ bill }: BillView): Column[] {
  const { properties, hasFile } = bill.columns.value;
  const { item, name, quantity, total, totalHelp, file } = text.bom;
  return [
    { name: item, kind: "item", sort: "" },
    { name, kind: "name", sort: "name" },
    { name: quantity, kind: "quantity", sort: "quantity" },
    ...(bill.isFlat.value ? [] : [{ name: total, kind: "quantity", sort: "", help: totalHelp } as const]),
    ...properties.map((one): Column => ({ name: headingOf(one), kind: "property", sort: `property ${one}` })),
    ...(hasFile ? [{ name: file, kind: "file", sort: "file" } as const] : []),
  ];
}

function Head({ view: { bill }, columns }: { view: BillView; columns: readonly Column[] }) {
  const [sorted, isDescending, isFlat] = [bill.sort.value, bill.isDescending.value, bill.isFlat.value];
  return (
    <div class="grid-row grid-head" role="row">
      {columns.map(({ name, kind, sort, help }) => (
        <span key={`${kind} ${name}`} role="columnheader" class={`bom-${kind}`} title={help}
          aria-sort={isFlat && sort ? sorted !== sort ? "none" : isDescending ? "descending" : "ascending" : undefined}>
          {isFlat && sort ? <button type="button" onClick={() => bill.sortBy(sort)} dir="auto">{name}</button>
            : <span dir="auto">{name}</span>}
        </span>
      ))}
    </div>
  );
}

function Nothing({ view: { bill } }: { view: BillView }) {
  const { project, branch } = bill.opened;
  if (bill.rows.value.length > 0) {
    return (
      <Empty>
        <p>{text.bom.noMatch}</p>
        <Button name={text.bom.clear} onClick={() => { bill.find.value = ""; }} />
      </Empty>
    );
  }
  if (bill.root) {
    return <Empty><p>{text.bom.emptyBelow}</p><Button name={text.bom.whole} onClick={() => chooseRoot(null)} /></Empty>;
  }
  return (
    <Empty icon="bill">
      <p>{text.bom.empty}</p>
      <a class="button primary" href={projectHref(project, "", branch)}>{text.files.goTo}</a>
      <pre>{`atelier upload gearbox.step --to ${project.id}:/Model`}</pre>
    </Empty>
  );
}

function onClick(event: MouseEvent, { bill }: BillView): void {
  const target = event.target instanceof Element ? event.target : null;
  const key = target?.closest<HTMLElement>("[data-key]")?.dataset.key;
  const row = bill.shown.peek().find((one) => one.key === key);
  if (!row) return;
  bill.active.value = row.key;
  if (target?.closest(".twist")) bill.fold(row, !bill.isUnfolded(row));
}

function onKey(event: KeyboardEvent & { currentTarget: HTMLElement }, { bill }: BillView): void {
  if (event.target !== event.currentTarget || event.altKey || event.ctrlKey || event.metaKey) return;
  if (isComposing(event)) return;
  const page = Math.max(1, Math.floor(event.currentTarget.clientHeight / ROW_PX) - 2);
  const row = bill.shown.peek().find(({ key }) => key === bill.active.peek());
  const [first] = row?.row.objects ?? [];
  const keys: Record<string, () => void> = {
    ArrowDown: () => bill.step(1), ArrowUp: () => bill.step(-1),
    PageDown: () => bill.step(page), PageUp: () => bill.step(-page),
    Home: () => bill.go(0), End: () => bill.go(Infinity),
    Enter: () => { if (first) open(bill.hrefOf(first)); },
    ArrowRight: () => {
      if (row && hasBelow(row) && !bill.isUnfolded(row)) bill.fold(row, true);
      else if (row && hasBelow(row)) bill.step(1);
    },
    ArrowLeft: () => {
      const above = row && bill.rows.peek()[row.parent];
      if (row && bill.isUnfolded(row)) bill.fold(row, false);
      else if (above) bill.active.value = above.key;
    },
  };
  const act = keys[letterOf(event)];
  if (!act) return;
  event.preventDefault();
  event.stopPropagation();
  act();
}
