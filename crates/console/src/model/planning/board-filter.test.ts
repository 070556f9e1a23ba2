import assert from "node:assert/strict";
import { test } from "node:test";
import type { BoardCard } from "../../api/planning/boards";
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

test("several values, missing ones and their opposites", () => {
  assert.equal(shown({ priority: "urgent,none" }), "cut,harden");
  assert.equal(shown({ priority: "!urgent" }), "harden");
  assert.equal(shown({ priority: "!urgent,!none" }), "");
  assert.equal(shown({ parent: "!none" }), "cut");
  assert.equal(shown({ type: "bug,task" }), "cut,harden");
  assert.equal(shown({ due: "!none" }), "");
  const people = [card("mine", { assignees: [{ id: "ada", display_name: "Ada" }] }), card("free")];
  const of = (assignee: string) => people.filter((one) => fits(one, { assignee }, { me: "ada" })).map(({ id }) => id);
  assert.deepEqual(of("me"), ["mine"]);
  assert.deepEqual(of("!me"), ["free"]);
  assert.deepEqual(of("me,none"), ["mine", "free"]);
  const tags = ["wet", "dry, cold"].map((name) => ({ id: name, name, color: "#000000" }));
  const tagged = [card("both", { tags }), card("one", { tags: tags.slice(0, 1) })];
  const with_ = (tag: string) => tagged.filter((one) => fits(one, { tag })).map(({ id }) => id);
  assert.deepEqual(with_("wet"), ["both", "one"]);
  assert.deepEqual(with_("wet,dry%2C cold"), ["both"]);
  assert.deepEqual(with_("!dry%2C cold"), ["one"]);
  assert.deepEqual(with_("none"), []);
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
