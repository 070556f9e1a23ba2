import assert from "node:assert/strict";
import { test } from "node:test";
import type { BoardCard } from "../../api/planning/boards";
import { Board } from "./board";
import { BoardLanes } from "./board-lanes";
import { laneOf, lanesOf, neighbourIn, placeInColumn, stepIn, type Lane, type LaneKind } from "./lanes";
import { card, column, field, option, whole } from "./testing";

const person = (id: string, name = id) => ({ id, display_name: name });
const tag = (name: string) => ({ id: `id of ${name}`, name, color: "#000000" });
const assigned = (id: string, ...people: string[]) => card(id, { assignees: people.map((one) => person(one)) });

const drawn = (columns: ReturnType<typeof column>[], kind: LaneKind) =>
  lanesOf(columns, kind, columns.flatMap(({ cards }) => cards)).map((lane) =>
    `${lane.name}: ${lane.columns.map(({ cards }) => cards.map(({ id }) => id).join(" ")).join(" | ")}`);

test("a card stands in the first of its lanes, and cards without a value in the last", () => {
  const columns = [column("todo", [assigned("a", "bob", "ada"), card("b"), assigned("c", "bob")]),
    column("done", [assigned("d", "ada")])];
  assert.deepEqual(drawn(columns, "assignees"), ["ada: a | d", "bob: c | ", "Nobody: b | "]);
  const tagged = [column("todo", [card("a"), card("b", { tags: [tag("x10"), tag("x9")] }),
    card("c", { tags: [tag("x10")] })])];
  assert.deepEqual(drawn(tagged, "tags"), ["x9: b", "x10: c", "No tag: a"]);
});

test("lanes of priorities go by urgency, and those of parents by name", () => {
  const columns = [column("todo", [card("a"), card("b", { priority: "low" }), card("c", { priority: "urgent" })])];
  assert.deepEqual(drawn(columns, "priority").map((lane) => lane.split(": ")[1]), ["c", "b", "a"]);
  const family = [column("todo", [card("p", { key: "GEAR-2" }), card("q", { key: "GEAR-10" }),
    card("a", { parent_id: "q" }), card("b", { parent_id: "p" }), card("c", { parent_id: "hidden" })])];
  assert.deepEqual(drawn(family, "parent").map((lane) => lane.split(": ")[1]), ["b", "a", "c", "p q"]);
  assert.deepEqual(drawn([column("todo", [])], "parent"), []);
  assert.deepEqual(drawn([column("todo", [card("c", { priority: "low" })])], "priority"), ["Low: c", "No priority: "],
    "the lane without a value is there to be dropped on");
});

const THREE = () => [column("todo", [assigned("a", "ada"), assigned("x", "bob"), assigned("b", "ada")]),
  column("doing", []), column("done", [assigned("c", "ada"), assigned("y", "bob"), card("n")])];

test("arrows go through the cells of a lane, then to the next lane", () => {
  const lanes = lanesOf(THREE(), "assignees", []);
  const next = (from: string, across: number, down: number) => neighbourIn(lanes, from, { across, down });
  assert.equal(next("a", 0, 1), "b");
  assert.equal(next("b", 0, 1), "x");
  assert.equal(next("x", 0, -1), "b");
  assert.equal(next("b", 1, 0), "c");
  assert.equal(next("c", 0, 1), "y");
  assert.equal(next("y", 0, 1), "n");
  assert.equal(next("x", 0, 1), undefined);
  assert.equal(next("a", -1, 0), undefined);
  assert.equal(laneOf(lanes, "y")?.id, "bob");
});

test("a step beyond a cell goes into the next lane that takes the card", () => {
  const step = (lanes: Lane[], card: string, down: number) => {
    const to = stepIn(lanes, card, { across: 0, down });
    return to && [to.cell.lane, to.at];
  };
  const people = lanesOf(THREE(), "assignees", []);
  assert.deepEqual(step(people, "b", 1), ["bob", 0]);
  assert.deepEqual(step(people, "x", 1), ["", 0]);
  assert.deepEqual(step(people, "x", -1), ["ada", 2]);
  assert.equal(step(people, "n", 1), undefined);
  const family = [card("p"), card("q", { parent_id: "p" }), card("r", { parent_id: "q" }),
    card("s", { parent_id: "hidden" })];
  const parents = lanesOf([column("todo", family)], "parent", family);
  assert.deepEqual(parents.map(({ id, isClosed }) => `${id}${isClosed ? " closed" : ""}`),
    ["p", "q", "elsewhere closed", ""]);
  assert.deepEqual(step(parents, "q", 1), ["", 0], "neither below itself nor into the lane of several parents");
});

test("a place in a lane is one in the whole column", () => {
  const lanes = lanesOf(THREE(), "assignees", []);
  const step = (card: string, across: number, down: number) => {
    const to = stepIn(lanes, card, { across, down });
    return to && [to.cell.lane, to.cell.column, to.at];
  };
  assert.deepEqual(step("b", 1, 0), ["ada", "doing", 1]);
  assert.deepEqual(step("a", 0, 1), ["ada", "todo", 1]);
  assert.equal(step("a", 0, -1), undefined);
  assert.equal(step("c", 1, 0), undefined);
  const [c, y, n] = ["c", "y", "n"].map((id) => card(id)) as [BoardCard, BoardCard, BoardCard];
  assert.equal(placeInColumn([c, y, n], [y], 0), 1);
  assert.equal(placeInColumn([c, y, n], [y], 1), 2);
  assert.equal(placeInColumn([c, y, n], [], 3), 3);
});

test("lanes of a shown field go by its options, and a field that is shown no longer has none", () => {
  const cards = [card("a", { fields: { r: "high" } }), card("b"), card("c", { fields: { r: "low" } })];
  const board = new Board({ orgId: "o", teamId: "t" }, [column("todo", cards)]);
  const risk = field("r", { name: "Risk", type: "choice", options: [option("low"), option("high")] });
  board.shownFields.take(whole([], { fields: [risk] }));
  const lanes = new BoardLanes(board);
  lanes.kind.value = "field-r";
  assert.deepEqual(lanes.lanes.value?.map(({ name }) => name), ["low", "high", "No Risk"]);
  assert.deepEqual(lanes.order(), ["c", "a", "b"]);
  board.shownFields.take(whole([]));
  assert.equal(lanes.lanes.value, null);
});

test("moves within a lane leave the cards of other lanes in their order", async () => {
  const places: unknown[] = [];
  const api = { read: async () => whole([]), takeOff: async () => {}, remove: async () => {}, create: async () => "",
    place: async (_: unknown, id: string, place: unknown) => {
      places.push([id, place]);
      return true;
    } };
  const board = new Board({ orgId: "o", teamId: "t" }, THREE(), () => {}, api);
  const lanes = new BoardLanes(board);
  assert.deepEqual(lanes.order(), ["a", "x", "b", "c", "y", "n"]);
  lanes.kind.value = "assignees";
  assert.deepEqual(lanes.order(), ["a", "b", "c", "x", "y", "n"]);
  lanes.moveBy("a", { across: 0, down: 1 });
  lanes.move("x", { column: "done" }, 1);
  await new Promise((done) => { setTimeout(done); });
  assert.deepEqual(places,
    [["a", { statusId: "todo", afterCardId: "b" }], ["x", { statusId: "done", afterCardId: "y" }]]);
  assert.deepEqual(board.columns.value.map(({ cards }) => cards.map(({ id }) => id).join(" ")), ["b a", "", "c y x n"]);
  assert.equal(lanes.neighbour("a", { across: 1, down: 0 }), "c");
});
