import assert from "node:assert/strict";
import { test } from "node:test";
import { emptyBoxes, widen } from "./boxes";
import { wholeBoxes } from "./explode";
import { PartData, GHOST, HIDDEN } from "./part-data";
import { waysBetween } from "./ways";

/** An assembly (0) with a part (1), an old part (2), and one without geometry (3). */
function boxes(): Float64Array {
  const made = emptyBoxes(5);
  widen(made, 1, 0, 0, 0);
  widen(made, 1, 2, 2, 2);
  widen(made, 2, 4, 0, 0);
  return wholeBoxes(made, { parents: [-1, 0, -1, -1], order: [0, 1, 2, 3] });
}

test("a way leads from middle to middle, and an assembly's is that of all its parts", () => {
  const none = { offset: () => 0 };
  assert.deepEqual(waysBetween([{ from: 2, to: 1 }, { from: 2, to: 0 }], boxes(), none),
    [4, 0, 0, 1, 1, 1, 4, 0, 0, 1, 1, 1]);
  assert.deepEqual(waysBetween([{ from: 2, to: 3 }, { from: 9, to: 1 }], boxes(), none), []);
});

test("a way follows its parts when they move apart", () => {
  const parts = { offset: (object: number, side: number) => (object === 1 && side === 2 ? 5 : 0) };
  assert.deepEqual(waysBetween([{ from: 2, to: 1 }], boxes(), parts), [4, 0, 0, 1, 1, 6]);
});

test("a tone stands beside the states of an object", () => {
  const data = new PartData(2);
  const one = (at: number) => Uint8Array.from([0, 1, 2], (place) => (place === at ? 1 : 0));
  data.write({ hidden: one(0), ghost: one(1), selected: one(2), tone: Uint8Array.of(4, 2, 0) }, new Float32Array(9));
  assert.deepEqual([0, 1, 2].map((object) => data.numbers[object * 4 + 3]), [33, 18, 4]);
  assert.equal(data.bits(0, HIDDEN | GHOST), HIDDEN);
  assert.equal(data.bits(1, HIDDEN | GHOST), GHOST);
  assert.ok(data.hasGhosts && data.hasSelected);
});
