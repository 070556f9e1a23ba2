import assert from "node:assert/strict";
import { test } from "node:test";
import { halves, shortened, steps } from "./scale";

test("an axis of whole numbers has at most five round steps", () => {
  assert.deepEqual(steps(0), [0, 1]);
  assert.deepEqual(steps(3), [0, 1, 2, 3]);
  assert.deepEqual(steps(18), [0, 5, 10, 15, 20]);
  assert.deepEqual(steps(90), [0, 50, 100]);
});

test("an axis of any numbers has nothing, half and all", () => {
  assert.deepEqual(halves(0), [0, 0.5, 1]);
  assert.deepEqual(halves(0.00004), [0, 0.000025, 0.00005]);
  assert.deepEqual(halves(1.75), [0, 1, 2]);
});

test("names are cut between letters, not within them", () => {
  assert.equal(shortened("Sprint 12", 6), "Sprin…");
  assert.equal(shortened("🚀🚀🚀", 3), "🚀🚀🚀");
});
