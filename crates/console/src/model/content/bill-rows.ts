// The rows of a bill of materials: which are below which, which are shown and in which order, and what they count.

import type { BomRow } from "../../api/content/bom";

export interface BillRow {
  row: BomRow;
  /** Its name among the rows, without spaces. It stays when the bill is read again. */
  key: string;
  /** Its index among all rows, and that of the row above it; −1 at the top. */
  at: number;
  parent: number;
  /** Its place among its siblings, from 1, and their number. */
  place: number;
  of: number;
  /** The index after the last row below it. */
  end: number;
}

/** Levels of an item's number that are written out. */
const NUMBER_LEVELS = 6;

export const hasBelow = ({ at, end }: Pick<BillRow, "at" | "end">) => end > at + 1;

/** The rows of an answer, each with its place in the tree that their levels describe. */
export function nestedRows(rows: readonly BomRow[]): BillRow[] {
  const [found, above] = [[] as BillRow[], [] as number[]];
  const [siblings, times] = [new Map<number, number>(), new Map<string, number>()];
  for (const [at, row] of rows.entries()) {
    above.length = Math.min(above.length, row.level);
    const parent = above.at(-1) ?? -1;
    const place = (siblings.get(parent) ?? 0) + 1;
    siblings.set(parent, place);
    found.push({ row, key: keyOf(row, times), at, parent, place, of: 0, end: at + 1 });
    above.push(at);
  }
  for (const one of found) one.of = siblings.get(one.parent) ?? 0;
  // From the last on, so that each row knows its end before the one above it asks.
  for (const { parent, end } of [...found].reverse()) {
    const holder = found[parent];
    if (holder) holder.end = Math.max(holder.end, end);
  }
  return found;
}

/** A package that is included twice repeats the objects of its rows. */
function keyOf({ objects: [first] }: BomRow, times: Map<string, number>): string {
  const id = `${first?.id ?? ""}${first?.commitHash ?? ""}`;
  const time = (times.get(id) ?? 0) + 1;
  times.set(id, time);
  return `${id}-${time}`;
}

/** The rows that are not below a folded one. */
export function openRows(rows: readonly BillRow[], isUnfolded: (row: BillRow) => boolean): BillRow[] {
  const shown: BillRow[] = [];
  for (let at = 0; at < rows.length;) {
    const one = rows[at] as BillRow;
    shown.push(one);
    at = isUnfolded(one) ? at + 1 : one.end;
  }
  return shown;
}

/** The rows that fit, with those above them. */
export function fittingRows(rows: readonly BillRow[], fits: (row: BillRow) => boolean): BillRow[] {
  const kept = new Set<number>();
  for (const one of rows) {
    if (!fits(one)) continue;
    for (let at = one.at; at >= 0 && !kept.has(at); at = rows[at]?.parent ?? -1) kept.add(at);
  }
  return rows.filter(({ at }) => kept.has(at));
}

/** The number of an item as `2.1.4`: the places of the rows above it, and its own. */
export function itemNumber(rows: readonly BillRow[], row: BillRow): string {
  const places: number[] = [];
  let one: BillRow | undefined = row;
  for (; one && places.length < NUMBER_LEVELS; one = rows[one.parent]) places.unshift(one.place);
  return (one ? "…" : "") + places.join(".");
}

export interface BillTotals {
  /** Pieces of all parts together. */
  pieces: number;
  /** Rows of parts that are measured, for example in metres. */
  measured: number;
}

/** Counts the parts. An include without rows below it can't be read, or holds none. */
export function totalsOf(rows: readonly BillRow[]): BillTotals {
  const parts = rows.filter((one) => !hasBelow(one) && !one.row.include).map(({ row }) => row);
  const counted = parts.filter(({ unit }) => unit === undefined);
  const pieces = counted.reduce((sum, { totalQuantity }) => sum + totalQuantity, 0);
  return { pieces, measured: parts.length - counted.length };
}
