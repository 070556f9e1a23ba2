import assert from "node:assert/strict";
import { test } from "node:test";
import type { BoardColumn, ColumnApi, StatusFields } from "../../api/planning/boards";
import { Board } from "./board";
import { BoardColumns } from "./board-columns";
import { card, column, settle, whole } from "./testing";
import { undo } from "../undo";

const three = () => [column("a", [card("1")]), column("b", [card("2")]), column("c", [])];

function fake(others: Partial<ColumnApi> = {}) {
  const asked: [string, StatusFields][] = [];
  const api: ColumnApi = { create: async () => {}, remove: async () => {}, ...others,
    change: others.change ?? (async (_path, id, fields) => { asked.push([id, fields]); }) };
  const board = new Board({ orgId: "o", teamId: "t" }, three(), () => {}, { read: async () => whole(three()),
    place: async () => true, takeOff: async () => {}, remove: async () => {}, create: async () => "" });
  const order = () => board.columns.value.map(({ status, cards }) => `${status.id}${cards.length}`).join(" ");
  return { board, columns: new BoardColumns(board, api), asked, order };
}

test("a column moves at once, names its neighbour to the API, and moves back by undo", async () => {
  const { columns, asked, order } = fake();
  const sent = columns.move("a", 2);
  assert.equal(order(), "b1 c0 a1");
  await sent;
  assert.deepEqual(asked, [["a", { afterStatusId: "c" }]]);
  await undo();
  assert.equal(order(), "a1 b1 c0");
  assert.deepEqual(asked[1], ["a", { beforeStatusId: "b" }]);
});

test("a refused move of a column is taken back", async () => {
  const { columns, order } = fake({ change: async () => { throw new Error("No rights."); } });
  await columns.move("a", 1);
  assert.equal(order(), "a1 b1 c0");
});

test("a change keeps the rule for closing while the column means the same", async () => {
  const { columns, asked } = fake();
  await columns.change("a", { name: "A", color: "#111111", transitionState: "started" });
  await columns.change("b", { name: "b", color: "#111111", transitionState: "closed" });
  assert.deepEqual(asked.map(([, { closeMode }]) => closeMode), ["off", "automatic"]);
});

test("a deleted column gives its cards to another, over a reading too, and comes back by undo", async () => {
  const removed: string[] = [];
  const { board, columns, order } = fake({ remove: async (_path, id) => { removed.push(id); } });
  columns.delete("a", "c");
  assert.equal(order(), "b1 c1");
  await board.reload();
  assert.equal(order(), "b1 c1");
  await undo();
  await board.reload();
  await settle();
  assert.equal(order(), "a1 b1 c0");
  assert.deepEqual(removed, []);
});

test("the limit of a column is undone by the one before", async () => {
  const { columns, asked } = fake();
  await columns.limit("a", { wipLimit: 3, wipUnit: "count", wipPolicy: "block" });
  await undo();
  assert.deepEqual(asked[1], ["a", { wipLimit: null, wipUnit: "count", wipPolicy: "warn" }]);
  assert.ok(columns.all.every(({ status }: BoardColumn) => status.wip_limit === null));
});
