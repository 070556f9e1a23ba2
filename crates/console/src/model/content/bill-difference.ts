// The bills of materials of two commits, part by part: of which parts there are more or fewer, and which have another
// shape.

import { readBom, type BomRow } from "../../api/content/bom";
import { COMPONENTS } from "./bill-roots";
import type { Comparison, Side } from "./compared-entry";

/** A part whose number differs, or its shape. */
export interface BillChange {
  key: string;
  name: string;
  /** The product's id, where it is not the name. */
  product: string;
  unit: string;
  before: number;
  after: number;
  /** Both bills have it, with other shapes. */
  isOtherShape: boolean;
}

export interface BillDifference {
  changes: BillChange[];
  /** Parts of which both bills have the same number. */
  same: number;
}

interface Counted extends Omit<BillChange, "isOtherShape"> {
  shapes: { before: Set<string>; after: Set<string> };
}

/** Sums of measured parts may differ by their last digits. */
const ROUNDING = 1e-9;

/** True if a comparison has objects that bills count. */
export const concernsBill = ({ entries }: Pick<Comparison, "entries">) =>
  entries.some(({ type }) => COMPONENTS.has(type));

/** The difference of the parts lists of two commits, of the whole project or of an object. */
export async function readBillDifference(base: Side, head: Side, root: string | null = null, read = readBom):
  Promise<BillDifference> {
  const rowsOf = async ({ place, commit = "" }: Side) => {
    // A branch without commits has no parts.
    if (/^0*$/.test(commit)) return [];
    return (await read(place, { root, view: "flat", by: "definition", properties: [], commit })).rows;
  };
  const [before, after] = await Promise.all([rowsOf(base), rowsOf(head)]);
  return billDifference(before, after);
}

/** The difference of two parts lists, by name. Parts of one product are one part, of any shape. */
export function billDifference(before: readonly BomRow[], after: readonly BomRow[]): BillDifference {
  const parts = new Map<string, Counted>();
  count(parts, after, "after");
  count(parts, before, "before");
  const told = [...parts.values()].map(({ shapes, ...part }) => ({ ...part, isOtherShape: areOther(shapes) }));
  const differs = ({ before: old, after: now, isOtherShape }: BillChange) =>
    isOtherShape || Math.abs(now - old) > ROUNDING * Math.max(Math.abs(now), Math.abs(old));
  const collator = new Intl.Collator(undefined, { numeric: true });
  const changes = told.filter(differs).sort((one, other) => collator.compare(one.name, other.name));
  return { changes, same: told.length - changes.length };
}

function count(parts: Map<string, Counted>, rows: readonly BomRow[], side: "before" | "after"): void {
  for (const row of rows) {
    const { name, definition, unit = "", totalQuantity } = row;
    const key = `${keyOf(row)} ${unit}`;
    const product = definition?.id === name ? "" : definition?.id ?? "";
    const part = parts.get(key) ?? { key, name, product, unit, before: 0, after: 0,
      shapes: { before: new Set<string>(), after: new Set<string>() } };
    part[side] += totalQuantity;
    if (definition?.geometry) part.shapes[side].add(definition.geometry);
    parts.set(key, part);
  }
}

/** The key that tells a part from others: its package, its product, its shape, or at last its name. */
function keyOf({ name, type, include, definition }: BomRow): string {
  if (include) return `package ${include.projectId} ${include.packageId}`;
  const { id, name: product, version, external, geometry } = definition ?? {};
  if (id ?? product ?? external) return `product ${JSON.stringify([id, product, version, external])}`;
  return geometry ? `shape ${geometry}` : `name ${type} ${name}`;
}

/** Shapes without fingerprints may be the same. */
const areOther = ({ before, after }: Counted["shapes"]) => before.size > 0 && after.size > 0
  && (before.size !== after.size || [...after].some((shape) => !before.has(shape)));
