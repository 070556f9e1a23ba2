import assert from "node:assert/strict";
import { test } from "node:test";
import { velocityOf, type Told } from "./velocity";

const told = (name: string, planned: [number, number], done: [number, number]) => ({ sprint: { id: name, name },
  report: { scope_at_start: { total: { cards: planned[0], effort: planned[1] } },
    done: { total: { cards: done[0], effort: done[1] } } } }) as Told;

test("velocity counts effort, and its average", () => {
  const { rows, average } = velocityOf([told("1", [3, 8], [2, 5]), told("2", [3, 9], [3, 10])]);
  assert.deepEqual(rows.map(({ planned, done }) => [planned, done]), [[8, 5], [9, 10]]);
  assert.equal(average, 7.5);
});

test("a team that doesn't estimate counts cards; one without sprints has none", () => {
  assert.equal(velocityOf([told("1", [3, 0], [2, 0])]).average, 2);
  assert.equal(velocityOf([]).average, 0);
});
