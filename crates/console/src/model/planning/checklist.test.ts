import assert from "node:assert/strict";
import { test } from "node:test";
import type { ChecklistApi, ChecklistItem } from "../../api/planning/card-relations";
import { messages } from "../messages";
import { undo } from "../undo";
import { Board } from "./board";
import { Checklist, countOf, withItemAt } from "./checklist";
import { OpenCard } from "./open-card";
import { card as boardCard, cardApiOf, column, read, settle } from "./testing";

const line = (id: string, isDone = false): ChecklistItem => ({ id, text: id, isDone });
const teamOf = (teamId: string) => ({ orgId: "o", teamId });

/** A checklist at a service that keeps what it accepts. */
async function opened(lines: ChecklistItem[], others: Partial<ChecklistApi> = {}) {
  const asked: string[] = [];
  let items = lines;
  const api: ChecklistApi = {
    read: async () => items,
    add: async (_path, text) => {
      items = [...items, line(text)];
      return line(text);
    },
    change: async (_path, id, { text, isDone, afterItemId }) => {
      asked.push(JSON.stringify({ id, text, isDone, afterItemId }));
      items = items.map((one) => (one.id === id
        ? { ...one, text: text ?? one.text, isDone: isDone ?? one.isDone } : one));
    },
    remove: async (_path, id) => {
      asked.push(`remove ${id}`);
      items = items.filter((one) => one.id !== id);
    },
    ...others,
  };
  const board = new Board({ orgId: "o", teamId: "t" }, [column("todo", [boardCard("c")])]);
  const now = () => {
    const own = read("c");
    return { ...own, indexCard: { ...own.indexCard, checklist: countOf(items) } };
  };
  const card = await OpenCard.open({ projectId: "p", cardId: "c" }, { board, teamOf }, cardApiOf(now));
  const checklist = new Checklist(card, api);
  await checklist.read();
  return { checklist, board, asked };
}

const said = (checklist: Checklist) =>
  checklist.items.value.map(({ text, isDone }) => text + (isDone ? "+" : "")).join();

test("a ticked line counts on the board's card at once, and is cleared by undo", async () => {
  const { checklist, board } = await opened([line("a"), line("b")]);
  const sent = checklist.tick(line("a"), true);
  assert.equal(said(checklist), "a+,b");
  assert.deepEqual(board.card("c")?.checklist, { total: 2, done: 1 });
  assert.equal(await sent, true);
  await undo();
  assert.equal(said(checklist), "a,b");
  assert.deepEqual(board.card("c")?.checklist, { total: 2, done: 0 });
});

test("a refused change is taken back, with the service's words", async () => {
  const { checklist, board } = await opened([line("a")],
    { change: async () => { throw new Error("No rights."); } });
  assert.equal(await checklist.tick(line("a"), true), false);
  assert.equal(said(checklist), "a");
  assert.deepEqual(board.card("c")?.checklist, { total: 1, done: 0 });
  assert.ok(messages.value.some(({ message }) => message.includes("No rights.")));
});

test("a line that isn't accepted is not added, and the field learns why", async () => {
  const { checklist } = await opened([], { add: async () => { throw new Error("At most 200."); } });
  await assert.rejects(checklist.add("one more", "key"), /At most 200/);
  assert.equal(said(checklist), "");
});

test("added lines keep the order in which they were typed", async () => {
  const { checklist } = await opened([]);
  await Promise.all([checklist.add("a", "1"), checklist.add("b", "2")]);
  assert.equal(said(checklist), "a,b");
});

test("a line is moved behind the one above its new place, and back by undo", async () => {
  const { checklist, asked } = await opened([line("a"), line("b"), line("c")]);
  await checklist.move("c", 0);
  assert.equal(said(checklist), "c,a,b");
  await checklist.move("c", 1);
  assert.deepEqual(asked.map((one) => JSON.parse(one).afterItemId), [null, "a"]);
  await undo();
  assert.equal(said(checklist), "c,a,b");
  assert.equal(checklist.items.value.length, withItemAt(checklist.items.value, "gone", 0).length);
});

test("a refused move goes back", async () => {
  const { checklist } = await opened([line("a"), line("b")], { change: async () => { throw new Error("Gone."); } });
  await checklist.move("b", 0);
  assert.equal(said(checklist), "a,b");
});

test("a deleted line is gone at once, stays so over a reading, and comes back by undo", async () => {
  const { checklist, asked } = await opened([line("a"), line("b"), line("c")]);
  checklist.delete(checklist.items.value[1] as ChecklistItem);
  await checklist.read();
  assert.equal(said(checklist), "a,c");
  await undo();
  await settle();
  assert.equal(said(checklist), "a,b,c");
  assert.deepEqual(asked, []);
});
