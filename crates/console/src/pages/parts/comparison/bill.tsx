// The bills of materials of both sides of a comparison, as a table of the parts that differ.

import { useSignal } from "@preact/signals";
import { concernsBill, readBillDifference, type BillChange, type BillDifference } from
  "../../../model/content/bill-difference";
import type { Comparison } from "../../../model/content/compared-entry";
import { numberOf, symbolOf } from "../../../model/content/properties";
import { text } from "../../../text";
import { Table, type TableColumn } from "../../../ui/table";
import { Read } from "../read";

export function BillDifferences({ comparison }: { comparison: Comparison }) {
  const isOpen = useSignal(false);
  const { base, head, object = null } = comparison;
  if (!base || !concernsBill(comparison)) return null;
  return (
    <details class="bill-difference" onToggle={(event) => { isOpen.value = event.currentTarget.open; }}>
      <summary>{text.versions.bill.title}</summary>
      {isOpen.value && (
        <Read read={() => readBillDifference(base, head, object)} keys={[base.commit, head.commit, object]}>
          {(difference) => <Changes difference={difference} />}
        </Read>
      )}
    </details>
  );
}

function Changes({ difference: { changes, same } }: { difference: BillDifference }) {
  return (
    <>
      {changes.length > 0 && <Table label={text.versions.bill.title} columns={COLUMNS} rows={changes}
        keyOf={({ key }) => key} />}
      {changes.length === 0 ? <p class="soft">{text.versions.bill.none}</p>
        : same > 0 && <p class="soft">{text.versions.bill.same(same)}</p>}
    </>
  );
}

const amount = (value: number, unit: string) => `${numberOf(value)} ${symbolOf(unit)}`.trim();

function deltaOf({ before, after, unit }: BillChange): string {
  const delta = after - before;
  if (delta === 0) return "0";
  return `${delta > 0 ? "+" : "−"}${amount(Math.abs(delta), unit)}`;
}

const COLUMNS: readonly TableColumn<BillChange>[] = [
  { key: "name", name: text.bom.name, cell: ({ name, product }) =>
    <>{name}{product && <span class="soft"> {product}</span>}</> },
  { key: "before", name: text.versions.before, kind: "number", cell: ({ before, unit }) => amount(before, unit) },
  { key: "after", name: text.versions.after, kind: "number", cell: ({ after, unit }) => amount(after, unit) },
  { key: "delta", name: text.versions.bill.delta, kind: "number", cell: deltaOf },
  { key: "shape", name: text.versions.bill.shape, cell: ({ isOtherShape }) =>
    (isOtherShape ? text.versions.aspects.shape : "") },
];
