import assert from "node:assert/strict";
import { test } from "node:test";
import { signal } from "@preact/signals";
import type { BoardCard } from "../../api/planning/boards";
import { ApiError } from "../../api/errors";
import { Board } from "./board";
import { Bulk } from "./bulk";
import type { BulkApi } from "./bulk-requests";
import { operationsOf } from "./card-operations";
import { CardTable } from "./card-table";
import { card, column, field, option, whole } from "./testing";
import { TeamValues } from "./team-values";
import { undo } from "../undo";

const tag = { id: "t", name: "urgent", color: "#000000" };
const boardOf = (...cards: BoardCard[]) => new Board({ orgId: "o", teamId: "t" },
  [column("todo", cards), column("done", [])], () => {}, { read: async () => whole([]), place: async () => true,
    takeOff: async () => {}, remove: async () => {}, create: async () => "" });
const tableOf = (...cards: BoardCard[]) => new CardTable(boardOf(...cards), signal([]));
const accepted: BulkApi = { change: async (_project, operations) => operations.map(() => ({ status: 200 })),
  place: async () => {}, takeOff: async () => {}, putBack: async () => true };
const order = (board: Board) => board.columns.value.map(({ cards }) => cards.map(({ id }) => id).join("")).join("|");

test("names are sorted as people count, and the other way round by a second choice", () => {
  const table = tableOf(card("Card 10"), card("Card 9"));
  table.sortBy("name");
  assert.deepEqual(table.order.value, ["Card 9", "Card 10"]);
  table.sortBy("name");
  assert.deepEqual(table.order.value, ["Card 10", "Card 9"]);
});

test("cards are sorted and grouped by urgency, and by keys as people count", () => {
  const table = tableOf(card("a", { key: "GEAR-10" }), card("b", { key: "GEAR-9", priority: "urgent" }),
    card("c", { key: "GEAR-2", priority: "low" }));
  table.sortBy("priority");
  assert.deepEqual(table.order.value, ["b", "c", "a"]);
  table.sortBy("key");
  assert.deepEqual(table.order.value, ["c", "b", "a"]);
  table.grouping.value = "priority";
  assert.deepEqual(table.rows.value.flatMap((row) => (row.kind === "group" ? [row.group.name] : [])),
    ["Urgent", "Low", "No priority"]);
  table.close();
});

test("a custom field is a column once it is chosen, by which cards are sorted and filtered", async () => {
  const board = boardOf(card("a"), card("b"), card("c"));
  const values: Record<string, Record<string, number>> = { a: { w: 10 }, b: { w: 9 }, c: {} };
  const table = new CardTable(board, signal([]), new TeamValues(board, ["p"], {
    fields: async () => [field("w", { name: "Weight", type: "number" })], people: async () => [], list: async () => [],
    read: async (_project, id) => ({ id, fields: values[id] ?? {} }),
    change: async () => { throw new Error("not here"); } }));
  await table.values.readFields();
  assert.ok(!table.fields.value.includes("field-w"));
  table.toggleField("field-w");
  assert.equal(table.fields.value.at(-1), "field-w");
  assert.equal(table.nameOf("field-w"), "Weight");
  await new Promise<void>((resolve) => { setTimeout(resolve, 90); });
  table.sortBy("field-w");
  assert.deepEqual(table.order.value, ["b", "a", "c"]);
  table.fieldFilter.value = { w: { from: 9.5 } };
  assert.deepEqual(table.order.value, ["a"]);
  table.fieldFilter.value = { w: [null] };
  assert.deepEqual(table.order.value, ["c"]);
  table.close();
});

test("cards are in groups by a custom field, in the order of its options", async () => {
  const board = boardOf(card("a"), card("b"), card("c"));
  const values: Record<string, Record<string, string[]>> = { a: { f: ["raw", "oiled"] }, b: {}, c: { f: ["oiled"] } };
  const finish = field("f", { name: "Finish", type: "choices", options: [option("oiled"), option("raw")] });
  const table = new CardTable(board, signal([]), new TeamValues(board, ["p"], {
    fields: async () => [finish], people: async () => [], list: async () => [],
    read: async (_project, id) => ({ id, fields: values[id] ?? {} }),
    change: async () => { throw new Error("not here"); } }));
  await table.values.readFields();
  table.grouping.value = "field-f";
  await new Promise<void>((resolve) => { setTimeout(resolve, 90); });
  const said = table.rows.value.map((row) =>
    (row.kind === "group" ? `${row.group.name} ${row.count}` : row.entry.card.id));
  assert.deepEqual(said, ["oiled 2", "a", "c", "raw 1", "a", "No Finish 1", "b"]);
  table.close();
});

test("groups come with their counts, those without a value last, and a card of two tags stands in both", () => {
  const table = tableOf(card("a"), card("b", { tags: [tag, { ...tag, id: "u", name: "big" }] }));
  table.grouping.value = "tags";
  const said = table.rows.value.map((row) =>
    (row.kind === "group" ? `${row.group.name} ${row.count}` : row.entry.card.id));
  assert.deepEqual(said, ["big 1", "b", "urgent 1", "b", "No tag 1", "a"]);
  assert.deepEqual(table.order.value, ["b", "a"]);
});

test("a range is selected from where it began, and a filter takes what it hides out of it", () => {
  const table = tableOf(card("a"), card("b"), card("c"));
  table.go(0);
  table.step(1, true);
  assert.deepEqual([...table.chosen.value], ["a", "b"]);
  table.board.filter.value = { q: "b" };
  assert.deepEqual([...table.chosen.value], ["b"]);
  table.close();
});

test("the operations between two states of a card are those that differ", () => {
  const ada = { id: "u1", display_name: "Ada" };
  const [from, to] = [card("a", { assignees: [ada] }), card("a", { is_open: false, tags: [tag] })];
  assert.deepEqual(operationsOf(from, to).map(({ op }) => op), ["update", "unassign", "tag"]);
  assert.deepEqual(operationsOf(to, from).map(({ op }) => op), ["update", "assign", "untag"]);
});

test("a changed priority and type go with what else changes of the card, in one operation", () => {
  const to = card("a", { priority: "high", type: "bug", is_open: false });
  assert.deepEqual(operationsOf(card("a"), to),
    [{ op: "update", cardId: "a", isOpen: false, priority: "high", type: "bug" }]);
});

test("of many moved cards the refused ones go back, with the reason", async () => {
  const board = boardOf(card("a"), card("b"), card("c"));
  const bulk = new Bulk(board, { ...accepted, place: async (_path, placements) => {
    const at = placements.findIndex(({ cardId }) => cardId === "b");
    if (at >= 0) throw new ApiError(409, { code: "WIP_LIMIT_REACHED", message: "Full.", details: { placement: at } });
  } });
  await bulk.toColumn(["a", "b"], "done");
  assert.equal(order(board), "bc|a");
  assert.equal(bulk.errors.value.get("b"), "Full.");
});

test("a change of many is undone at once for all", async () => {
  const board = boardOf(card("a"), card("b"));
  const bulk = new Bulk(board, accepted);
  await bulk.change(["a", "b"], () => ({ is_open: false }));
  assert.ok(board.cards.value.every((one) => !one.is_open));
  await undo();
  assert.ok(board.cards.value.every((one) => one.is_open));
});

test("moved cards go back to their places by undo", async () => {
  const board = boardOf(card("a"), card("b"), card("c"));
  await new Bulk(board, accepted).toColumn(["b", "c"], "done");
  assert.equal(order(board), "a|bc");
  await undo();
  assert.equal(order(board), "abc|");
});

test("deleted cards are gone at once, and come back by undo", async () => {
  const board = boardOf(card("a"), card("b"), card("c"));
  new Bulk(board, accepted).delete(["a", "c"]);
  assert.equal(order(board), "b|");
  await undo();
  assert.equal(board.cards.value.length, 3);
});
