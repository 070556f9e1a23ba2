// A row of a bill: a part or an assembly with its picture, its quantities and the chosen properties.

import { useComputed } from "@preact/signals";
import type { Bill } from "../../../model/content/bill";
import { valueOf } from "../../../model/content/bill-columns";
import { hasBelow, itemNumber, type BillRow } from "../../../model/content/bill-rows";
import { symbolOf } from "../../../model/content/properties";
import { text } from "../../../text";
import { Icon } from "../../../ui/icon";
import { memo } from "../../../ui/memo";
import { iconOf } from "../../parts/object-icon";
import { Thumbnail } from "../../parts/thumbnail";

export const ROW_PX = 40;
const PICTURE_PX = 32;
/** Levels beyond which rows are not shifted further: their names need the room. */
const LEVELS = 8;

interface RowProps {
  row: BillRow;
  top: number;
  bill: Bill;
}

export const Row = memo(({ row, top, bill }: RowProps) => {
  const isActive = useComputed(() => bill.active.value === row.key).value;
  const isFolding = useComputed(() => hasBelow(row) && !bill.find.value.trim()).value;
  const isUnfolded = useComputed(() => bill.isUnfolded(row)).value;
  const isFlat = bill.isFlat.value;
  const { properties, hasFile } = bill.columns.value;
  const { level, quantity, totalQuantity, unit } = row.row;
  const inTree = isFlat ? {} : { "aria-level": level + 1, "aria-posinset": row.place, "aria-setsize": row.of,
    "aria-expanded": isFolding ? isUnfolded : undefined };
  return (
    <div class="grid-row" role="row" id={`row-${row.key}`} data-key={row.key} {...inTree}
      data-active={isActive ? "" : undefined} style={{ top: `${top}px`, "--level": Math.min(level, LEVELS) }}>
      <span role="gridcell" class="bom-item soft"><span>{itemNumber(bill.rows.value, row)}</span></span>
      <Name row={row} bill={bill} isFolding={isFolding} isUnfolded={isUnfolded} />
      <span role="gridcell" class="bom-quantity"><Quantity value={quantity} unit={unit} /></span>
      {!isFlat && <span role="gridcell" class="bom-quantity soft"><Quantity value={totalQuantity} unit={unit} /></span>}
      {properties.map((name) => <Value key={name} value={valueOf(row.row, name)} />)}
      {hasFile && <File names={bill.filesOf(row)} />}
    </div>
  );
});

interface NameProps {
  row: BillRow;
  bill: Bill;
  isFolding: boolean;
  isUnfolded: boolean;
}

function Name({ row, bill, isFolding, isUnfolded }: NameProps) {
  const { name, type, objects: [first], available } = row.row;
  return (
    <span role="gridcell" class="bom-name">
      {!bill.isFlat.value && <span class={isUnfolded ? "twist is-open" : "twist"}>
        {isFolding && <Icon name="open" />}
      </span>}
      <Thumbnail of={bill.picturedOf(row)} icon={iconOf({ type })} px={PICTURE_PX} />
      {first ? <a tabIndex={-1} href={bill.hrefOf(first)} dir="auto" title={name}>{name}</a>
        : <span dir="auto">{name}</span>}
      {available === false && <span class="badge changed">{text.bom.away}</span>}
    </span>
  );
}

const Quantity = ({ value, unit }: { value: number; unit: string | undefined }) =>
  <span>{value.toLocaleString()}{unit && <span class="soft"> {symbolOf(unit)}</span>}</span>;

const Value = ({ value }: { value: string }) =>
  <span role="gridcell" class="bom-property" title={value}><span dir="auto">{value}</span></span>;

function File({ names: [first = "", ...others] }: { names: readonly string[] }) {
  const more = others.length > 0 ? text.bom.moreFiles(others.length) : "";
  return (
    <span role="gridcell" class="bom-file soft" title={[first, ...others].join("\n")}>
      <span dir="auto">{first}</span>{more && <span>{more}</span>}
    </span>
  );
}
