import assert from "node:assert/strict";
import { test } from "node:test";
import { ApiError } from "../../api/errors";
import type { CardOperation } from "../../api/planning/cards";
import { messages } from "../messages";
import { undo } from "../undo";
import { Board } from "./board";
import { BoardLanes } from "./board-lanes";
import type { LaneApi } from "./lane-moves";
import { card, column, field, option, settle, whole } from "./testing";

const person = (id: string) => ({ id, display_name: id });
const tag = (id: string, name: string) => ({ id, name, color: "#000000" });

/** Lanes whose requests are noted, and refused while `refusal` is set. */
function lanesOf(board: Board, others: Partial<LaneApi> = {}) {
  const sent: CardOperation[][] = [];
  const state: { refusal: ApiError | null } = { refusal: null };
  const lanes = new BoardLanes(board, { tags: async () => [], ...others, change: async (_project, operations) => {
    sent.push(operations);
    if (state.refusal) throw state.refusal;
  } });
  return { lanes, sent, state };
}

function boardOf() {
  const cards = [card("a", { assignees: [person("ada")] }), card("x", { assignees: [person("bob")] }), card("n")];
  return new Board({ orgId: "o", teamId: "t" }, [column("todo", cards), column("done", [])], () => {},
    { read: async () => whole([]), place: async () => true, takeOff: async () => {}, remove: async () => {},
      create: async () => "" });
}

const drawn = ({ lanes: { value } }: BoardLanes) => value?.map((lane) =>
  `${lane.name}: ${lane.columns.map(({ cards }) => cards.map(({ id }) => id).join(" ")).join(" | ")}`);
const said = () => messages.value.at(-1)?.message ?? "";

test("a card in another lane and column takes its value by one request, and undo takes both back", async () => {
  const board = boardOf();
  const { lanes, sent } = lanesOf(board);
  lanes.kind.value = "assignees";
  lanes.move("a", { column: "done", lane: "bob" }, 0);
  assert.deepEqual(drawn(lanes), ["bob: x | a", "Nobody: n | "]);
  assert.equal(board.spoken.value, "a: bob, done");
  await settle();
  assert.deepEqual(sent, [[{ op: "assign", cardId: "a", userId: "bob" },
    { op: "unassign", cardId: "a", userId: "ada" },
    { op: "place", cardId: "a", placement: { orgId: "o", teamId: "t", statusId: "done" } }]]);
  await undo();
  assert.deepEqual(drawn(lanes), ["ada: a | ", "bob: x | ", "Nobody: n | "]);
  await settle();
  assert.deepEqual(sent[1], [{ op: "assign", cardId: "a", userId: "ada" },
    { op: "unassign", cardId: "a", userId: "bob" },
    { op: "place", cardId: "a", placement: { orgId: "o", teamId: "t", statusId: "todo", beforeCardId: "x" } }]);
});

test("keys move a card into the lane without a value, which clears it", async () => {
  const board = boardOf();
  const { lanes, sent } = lanesOf(board);
  lanes.kind.value = "assignees";
  lanes.moveBy("x", { across: 0, down: 1 });
  assert.deepEqual(drawn(lanes), ["ada: a | ", "Nobody: x n | "]);
  await settle();
  assert.deepEqual(sent, [[{ op: "unassign", cardId: "x", userId: "bob" }]], "its place in the column is the same");
});

test("a card of several lanes stands in the one that it was moved into", async () => {
  const cards = [card("a", { tags: [tag("t1", "gear"), tag("t2", "hob")] }), card("b", { tags: [tag("t3", "teeth")] })];
  const board = new Board({ orgId: "o", teamId: "t" }, [column("todo", cards)]);
  const { lanes, sent } = lanesOf(board);
  lanes.kind.value = "tags";
  lanes.move("a", { column: "todo", lane: "teeth" }, 1);
  assert.deepEqual(drawn(lanes), ["teeth: b a", "No tag: "]);
  await settle();
  assert.deepEqual(sent[0]?.map(({ op }) => op), ["tag", "untag", "place"]);
  assert.deepEqual(board.card("a")?.tags.map(({ name }) => name), ["hob", "teeth"]);
});

test("the tag of a lane is read where the board has none of the card's project", async () => {
  const cards = [card("a", { project_id: "q" }), card("b", { tags: [tag("t3", "teeth")] })];
  const board = new Board({ orgId: "o", teamId: "t" }, [column("todo", cards)]);
  const own = { id: "t9", name: "teeth", color: "#111111", description: "", status: "active" as const, project_id: "q",
    card_count: 0 };
  const { lanes, sent } = lanesOf(board, { tags: async (project) => (project === "q" ? [own] : []) });
  lanes.kind.value = "tags";
  lanes.move("a", { column: "todo", lane: "teeth" }, 0);
  await settle();
  assert.deepEqual(sent[0], [{ op: "tag", cardId: "a", tagId: "t9" }]);
});

test("what can't be changed says why, and goes back with its place", async () => {
  const board = boardOf();
  const { lanes, sent, state } = lanesOf(board);
  lanes.kind.value = "assignees";
  state.refusal = new ApiError(400, { code: "ASSIGNEE_NOT_MEMBER", message: "Not a member." });
  lanes.move("a", { column: "done", lane: "bob" }, 0);
  await settle();
  assert.deepEqual(drawn(lanes), ["ada: a | ", "bob: x | ", "Nobody: n | "]);
  assert.equal(said(), "a wasn't moved: Not a member.");

  const risk = field("r", { name: "Risk", type: "choice", is_required: true,
    options: [option("low"), option("high")] });
  board.update("a", { fields: { r: "low" } });
  board.shownFields.take(whole([], { fields: [risk] }));
  lanes.kind.value = "field-r";
  const issues = [{ path: "body.operations[0].fields.r", rule: "required", message: "can't be cleared" }];
  state.refusal = new ApiError(400, { code: "INVALID_REQUEST", message: "", details: { issues } });
  lanes.move("a", { column: "todo", lane: "" }, 0);
  await settle();
  assert.deepEqual(sent.at(-1), [{ op: "update", cardId: "a", fields: { r: null } }]);
  assert.equal(board.card("a")?.fields.r, "low");
  assert.equal(said(), "a wasn't moved: Risk can't be cleared");

  board.update("x", { project_id: "q" });
  const before = sent.length;
  lanes.move("x", { column: "todo", lane: "low" }, 1);
  assert.equal(said(), "x wasn't moved: Its project has no field Risk.");
  assert.equal(sent.length, before);
});
