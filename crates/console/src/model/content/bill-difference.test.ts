import assert from "node:assert/strict";
import { test } from "node:test";
import type { BomAnswer, BomChoice, BomRow } from "../../api/content/bom";
import { billDifference, readBillDifference } from "./bill-difference";

const row = (name: string, totalQuantity: number, definition?: BomRow["definition"], unit?: string): BomRow =>
  ({ level: 0, name, type: "Part", quantity: totalQuantity, totalQuantity, objectCount: 1, objects: [],
    ...(definition ? { definition } : {}), ...(unit ? { unit } : {}) }) as BomRow;
const told = (before: BomRow[], after: BomRow[]) => {
  const { changes, same } = billDifference(before, after);
  return [changes.map((one) => `${one.name} ${one.before} ${one.after} ${one.isOtherShape}`), same];
};

test("parts are counted before and after, by their product", () => {
  const bolt = { id: "B-1", name: "bolt" };
  assert.deepEqual(told([row("bolt", 4, bolt), row("nut", 2), row("pin", 1)],
    [row("left bolt", 6, bolt), row("nut", 2), row("washer", 3)]),
  [["left bolt 4 6 false", "pin 1 0 false", "washer 0 3 false"], 1]);
});

test("another shape of a product is one row, and rows of several shapes are one part", () => {
  const plate = (geometry?: string) => ({ name: "plate", ...(geometry ? { geometry } : {}) });
  assert.deepEqual(told([row("plate", 1, plate("a"))], [row("plate", 1, plate("b"))]), [["plate 1 1 true"], 0]);
  assert.deepEqual(told([row("plate", 1, plate("a")), row("plate", 2, plate("b"))],
    [row("plate", 2, plate("a")), row("plate", 1, plate("b"))]), [[], 1]);
  // Without a fingerprint nobody knows.
  assert.deepEqual(told([row("plate", 1, plate())], [row("plate", 1, plate("b"))]), [[], 1]);
});

test("measures of another unit are other parts, and their last digits don't count", () => {
  assert.deepEqual(told([row("tube", 0.3, undefined, "m")], [row("tube", 0.1 + 0.2, undefined, "m")]), [[], 1]);
  assert.deepEqual(told([row("tube", 1, undefined, "m")], [row("tube", 1)])[1], 0);
});

test("a commit that doesn't exist has no parts, and others are asked for theirs", async () => {
  const asked: (string | undefined)[] = [];
  const read = async (_place: string, { commit }: BomChoice) => {
    asked.push(commit);
    return { rows: [row("nut", 2)] } as BomAnswer;
  };
  const sides = (base: string) =>
    readBillDifference({ place: "p", commit: base }, { place: "p", commit: "a1" }, null, read);
  assert.equal((await sides("0".repeat(40))).changes.length, 1);
  assert.deepEqual(asked, ["a1"]);
  assert.equal((await sides("b2")).same, 1);
});
