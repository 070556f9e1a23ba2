import assert from "node:assert/strict";
import { test } from "node:test";
import { explosionOf, offsetsAt } from "./explode";
import type { Hierarchy } from "./view";

/** Boxes of a length of 2 around middles on the first axis; without a middle an object has no geometry. */
const boxes = (middles: (number | null)[]) => Float64Array.from(middles.flatMap((x) => (x === null
  ? [Infinity, Infinity, Infinity, -Infinity, -Infinity, -Infinity] : [x - 1, -1, -1, x + 1, 1, 1])));
const along = (offsets: Float32Array) => [...offsets].filter((_, at) => at % 3 === 0)
  .map((value) => Number(value.toFixed(3)));

test("an assembly's parts move from its centre, and those of an inner one after it", () => {
  // 0 holds 1 and 2; 2 holds 3 and 4.
  const tree: Hierarchy = { parents: [-1, 0, 0, 2, 2], order: [0, 1, 2, 3, 4] };
  const explosion = explosionOf(boxes([null, -10, null, 8, 12, null]), tree);
  assert.equal(explosion.count, 2);
  assert.deepEqual(along(offsetsAt(explosion, tree, 0)), [0, 0, 0, 0, 0, 0]);
  // Middles: all at 1 (from -11 to 13), the inner assembly at 10.
  assert.deepEqual(along(offsetsAt(explosion, tree, 0.5)), [0, -15.4, 12.6, 12.6, 12.6, 0]);
  assert.deepEqual(along(offsetsAt(explosion, tree, 1)), [0, -15.4, 12.6, 9.8, 15.4, 0]);
});

test("a lone part stays in its assembly, and its parts take its stage", () => {
  const tree: Hierarchy = { parents: [-1, 0, 1, 1], order: [0, 1, 2, 3] };
  const explosion = explosionOf(boxes([null, null, -4, 4, null]), tree);
  assert.deepEqual([...explosion.stages], [0, 0, 1, 1, 0]);
  assert.equal(explosion.count, 1);
});

test("several roots move apart as the parts of one", () => {
  const tree: Hierarchy = { parents: [-1, -1, -1], order: [0, 1, 2] };
  const explosion = explosionOf(boxes([-5, 5, null, null]), tree);
  assert.deepEqual(along(offsetsAt(explosion, tree, 1)), [-7, 7, 0, 0]);
});
