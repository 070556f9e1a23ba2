import assert from "node:assert/strict";
import { test } from "node:test";
import type { BoardApi, BoardCard, BoardColumn, CardPlace, KnownBoard } from "../../api/planning/boards";
import { Board } from "./board";
import type { Columns } from "./columns";
import { card, column as columnOf, whole } from "./testing";
import { messages } from "../messages";
import { undo } from "../undo";

const PATH = { orgId: "org", teamId: "team" };

const column = (id: string, cards: BoardCard[]) => columnOf(id, cards, { wip_limit: 2 });

const two = (): Columns => [column("todo", [card("a"), card("b"), card("c")]), column("done", [card("d")])];

/** An API that notes what it is asked, and answers when the test says so. */
function fake(columns: Columns = two()) {
  const asked: [string, CardPlace][] = [];
  const answers: { resolve: (isOpen: boolean) => void; reject: (error: Error) => void }[] = [];
  const api: BoardApi = {
    read: async () => whole(columns as BoardColumn[]),
    place: (_, id, place) =>
      new Promise((resolve, reject) => {
        asked.push([id, place]);
        answers.push({ resolve, reject });
      }),
    takeOff: async () => {},
    remove: async () => {},
    create: async () => "new",
  };
  let later = 0;
  const board = new Board(
    PATH,
    two(),
    () => {
      later += 1;
    },
    api,
  );
  return { board, api, asked, answers, laterCalls: () => later };
}

const order = (board: Board) =>
  board.columns.value.map(({ status, cards }) => `${status.id}: ${cards.map(({ id }) => id).join(" ")}`);
const settle = () =>
  new Promise<void>((resolve) => {
    setTimeout(resolve);
  });

test("a move is shown at once and names its neighbour to the API", async () => {
  const { board, asked, answers } = fake();
  board.move("a", "done", 1);
  assert.deepEqual(order(board), ["todo: b c", "done: d a"]);
  assert.deepEqual(
    board.columns.value.map((one) => one.card_count),
    [2, 2],
  );
  await settle();
  assert.deepEqual(asked, [["a", { statusId: "done", afterCardId: "d" }]]);
  answers[0]?.resolve(false);
  await settle();
  assert.equal(board.cards.value.find(({ id }) => id === "a")?.is_open, false);
});

test("a refused move is taken back, with the reason", async () => {
  const { board, answers, laterCalls } = fake();
  board.move("a", "done", 0);
  await settle();
  answers[0]?.reject(new Error("The column is full."));
  await settle();
  assert.deepEqual(order(board), ["todo: a b c", "done: d"]);
  assert.ok(messages.value.some(({ message, bad }) => bad && message.includes("The column is full.")));
  assert.equal(laterCalls(), 1);
});

test("moves are sent one after the other", async () => {
  const { board, asked, answers } = fake();
  board.move("a", "done", 0);
  board.move("b", "done", 0);
  await settle();
  assert.equal(asked.length, 1);
  answers[0]?.resolve(true);
  await settle();
  assert.deepEqual(asked[1], ["b", { statusId: "done", beforeCardId: "a" }]);
});

test("the top under a filter is the top of the real column", () => {
  const { board } = fake();
  board.filter.value = { q: "c" };
  board.moveToEnd("c", "todo", "top");
  assert.deepEqual(order(board), ["todo: c a b", "done: d"]);
});

test("a place among shown cards lies beside the shown neighbour", () => {
  const { board } = fake();
  board.filter.value = { q: "b" };
  board.move("d", "todo", 1);
  assert.deepEqual(order(board), ["todo: a b d c", "done: "]);
});

test("a filter keeps the columns, and its own values where nothing is filtered", () => {
  const { board } = fake();
  assert.equal(board.shown.value, board.columns.value);
  board.filter.value = { q: "d" };
  assert.deepEqual(
    board.shown.value.map(({ cards }) => cards.length),
    [0, 1],
  );
});

test("others' changes keep what hasn't changed, and name what arrived", async () => {
  const { board, api } = fake();
  const before = board.columns.value;
  api.read = async () =>
    whole([column("todo", [card("a"), card("b"), card("c")]), column("done", [card("d"), card("e")])]);
  await board.reload();
  assert.equal(board.columns.value[0], before[0]);
  assert.equal(board.columns.value[1]?.cards[0], before[1]?.cards[0]);
  assert.deepEqual([...board.arrived.value], ["e"]);
});

test("a reading begins with the board that was read last", async () => {
  const { board, api } = fake();
  const known: (string | undefined)[] = [];
  api.read = async (_, before) => {
    known.push(before?.revision);
    return whole(two() as BoardColumn[], { revision: `${known.length}` });
  };
  await board.reload();
  await Promise.all([board.reload(), board.reload()]);
  await board.reload();
  assert.deepEqual(known, [undefined, "1", "1", "3"]);
});

test("an answer that is older than a move is dropped", async () => {
  const { board, api, answers, laterCalls } = fake();
  let answer: (board: KnownBoard) => void = () => {};
  api.read = () =>
    new Promise((resolve) => {
      answer = resolve;
    });
  const reading = board.reload();
  board.move("a", "done", 0);
  answer(whole(two() as BoardColumn[]));
  await reading;
  assert.deepEqual(order(board), ["todo: b c", "done: a d"]);
  assert.equal(laterCalls(), 1);
  answers[0]?.resolve(true);
});

test("an answer to a reading that began during a move is dropped, although it arrives after the move's", async () => {
  const { board, api, answers, laterCalls } = fake();
  board.move("a", "done", 0);
  await settle();
  let answer: (board: KnownBoard) => void = () => {};
  api.read = () => new Promise((resolve) => { answer = resolve; });
  const reading = board.reload();
  answers[0]?.resolve(true);
  await settle();
  answer(whole(two() as BoardColumn[]));
  await reading;
  assert.deepEqual(order(board), ["todo: b c", "done: a d"]);
  assert.equal(laterCalls(), 1);
});

test("undo moves the card back", async () => {
  const { board, asked, answers } = fake();
  board.move("b", "done", 0);
  await settle();
  answers[0]?.resolve(true);
  await settle();
  await undo();
  assert.deepEqual(order(board), ["todo: a b c", "done: d"]);
  await settle();
  assert.deepEqual(asked[1], ["b", { statusId: "todo", afterCardId: "a" }]);
  answers[1]?.resolve(true);
});

test("a deletion is taken back before it is sent", async () => {
  const { board, api } = fake();
  let removed = 0;
  api.remove = async () => {
    removed += 1;
  };
  board.delete("b");
  assert.deepEqual(order(board), ["todo: a c", "done: d"]);
  await board.reload();
  assert.deepEqual(order(board), ["todo: a c", "done: d"], "a reading shows a card whose deletion waits");
  await undo();
  assert.deepEqual(order(board), ["todo: a b c", "done: d"]);
  assert.equal(removed, 0);
});

test("arrow keys jump over empty columns and stay within cards", () => {
  const board = new Board(PATH, [column("1", [card("a"), card("b")]), column("2", []), column("3", [card("c")])]);
  assert.equal(board.neighbour("b", { across: 1, down: 0 }), "c");
  assert.equal(board.neighbour("a", { across: 0, down: -1 }), "a");
  assert.equal(board.neighbour("a", { across: -1, down: 0 }), undefined);
});

test("a card that is added under a sprint's filter is in the sprint", async () => {
  const { board, api } = fake();
  let place: CardPlace = {};
  api.create = async (_path, _project, _name, where) => {
    place = where;
    return "new";
  };
  board.filter.value = { sprint: "s1" };
  await board.add("todo", "p", { name: "New" }, "key");
  assert.deepEqual(place, { statusId: "todo", sprintId: "s1" });
});
