import assert from "node:assert/strict";
import { test } from "node:test";
import type { BoardCard } from "../../api/boards";
import { filterOf, fits, parametersOf } from "./board-filter";
import { card } from "./testing";

const cut = card("cut", { key: "GEAR-12", priority: "urgent", type: "bug", parent_id: "gearbox", is_blocked: true });
const harden = card("harden", { key: "GEAR-1" });
const shown = (filter: Record<string, string>) =>
  [cut, harden].filter((one: BoardCard) => fits(one, filter)).map(({ id }) => id).join();

test("cards are filtered by priority, type, parent and blockers", () => {
  assert.equal(shown({ priority: "urgent" }), "cut");
  assert.equal(shown({ priority: "none" }), "harden");
  assert.equal(shown({ type: "bug" }), "cut");
  assert.equal(shown({ type: "bug", priority: "low" }), "");
  assert.equal(shown({ parent: "gearbox" }), "cut");
  assert.equal(shown({ parent: "none" }), "harden");
  assert.equal(shown({ blocked: "true" }), "cut");
  assert.equal(shown({ blocked: "false" }), "harden");
});

test("a text finds names, and a whole key its card alone", () => {
  assert.equal(shown({ q: "HARD" }), "harden");
  assert.equal(shown({ q: "gear-1" }), "harden");
  assert.equal(shown({ q: "gear-12" }), "cut");
  assert.equal(shown({ q: "gear" }), "");
});

test("a filter goes into an address and comes back", () => {
  const filter = { priority: "high", type: "design review", parent: "none", blocked: "true" };
  const set = Object.entries(parametersOf(filter)).filter((entry): entry is [string, string] => entry[1] !== null);
  assert.deepEqual(filterOf(new URLSearchParams(set)), filter);
});
