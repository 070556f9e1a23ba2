import assert from "node:assert/strict";
import { test } from "node:test";
import type { BomRow } from "../../api/content/bom";
import { fittingRows, hasBelow, itemNumber, nestedRows, openRows, totalsOf, type BillRow } from "./bill-rows";

const row = (level: number, name: string, total = 1, more: Partial<BomRow> = {}): BomRow => ({ level, name,
  type: "Part", quantity: total, totalQuantity: total, objectCount: 1, objects: [{ id: name }], ...more });

const PUMP = [row(0, "pump"), row(1, "pair", 2), row(2, "bolt", 4), row(2, "washer", 8), row(1, "cover"),
  row(0, "spare")];
const names = (rows: readonly BillRow[]) => rows.map((one) => one.row.name).join(" ");

test("levels make a tree, whose items have numbers", () => {
  const rows = nestedRows(PUMP);
  const said = rows.map((one) => `${itemNumber(rows, one)} ${one.place}/${one.of} ${one.end}`);
  assert.deepEqual(said, ["1 1/2 5", "1.1 1/2 4", "1.1.1 1/2 3", "1.1.2 2/2 4", "1.2 2/2 5", "2 2/2 6"]);
  assert.equal(names(rows.filter(hasBelow)), "pump pair");
});

test("rows below a folded one are not shown, and a found one brings those above it", () => {
  const rows = nestedRows(PUMP);
  assert.equal(names(openRows(rows, ({ row: { name } }) => name === "pump")), "pump pair cover spare");
  assert.equal(names(openRows(rows, () => false)), "pump spare");
  assert.equal(names(fittingRows(rows, ({ row: { name } }) => name === "washer")), "pump pair washer");
  assert.equal(names(fittingRows(rows, () => false)), "");
});

test("keys stay when rows come before them, and differ where a package repeats its objects", () => {
  const keyOf = (rows: BomRow[], name: string) => nestedRows(rows).filter((one) => one.row.name === name)
    .map(({ key }) => key);
  assert.deepEqual(keyOf(PUMP, "spare"), keyOf([row(0, "first"), ...PUMP], "spare"));
  const twice = keyOf([row(0, "gears"), row(1, "wheel"), row(0, "gears"), row(1, "wheel")], "wheel");
  assert.equal(new Set(twice).size, 2);
  assert.ok(twice.every((key) => !key.includes(" ")));
});

test("parts are counted in the whole: no assembly, no empty include, and no metres", () => {
  const include = { projectId: "p", packageId: "q", commitHash: "c" };
  const rows = nestedRows([...PUMP, row(0, "wire", 2.5, { unit: "metre" }),
    row(0, "away", 1, { include, available: false }), row(0, "gears", 2, { include }), row(1, "wheel", 6)]);
  assert.deepEqual(totalsOf(rows), { pieces: 4 + 8 + 1 + 1 + 6, measured: 1 });
});

test("a very deep bill has short numbers", () => {
  const rows = nestedRows(Array.from({ length: 10_000 }, (_, at) => row(at, `part ${at}`)));
  assert.equal(itemNumber(rows, rows.at(-1) as BillRow), "…1.1.1.1.1.1");
  assert.equal(rows[0]?.end, 10_000);
});
