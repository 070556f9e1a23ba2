import assert from "node:assert/strict";
import { test } from "node:test";
import type { BoardCard, BoardColumn, KnownBoard } from "../../api/planning/boards";
import type { AvailableCard, PlanningApi, Sprint } from "../../api/planning/sprints";
import { messages } from "../messages";
import type { PlaceRequest } from "./plan-cards";
import { Planning } from "./planning";
import { whole } from "./testing";
import { undo } from "../undo";

const PATH = { orgId: "org", teamId: "team" };
const card = (id: string, sprint: string | null = null, isOpen = true) =>
  ({ id, name: `Card ${id}`, project_id: "p", project_name: "P", is_open: isOpen, effort: 2, deadline: null,
    sprint_id: sprint, assignees: [], tags: [] }) as unknown as BoardCard;
const column = (id: string, cards: BoardCard[]) => ({ status: { id, name: id }, cards }) as unknown as BoardColumn;
const loose = (id: string) => card(id) as unknown as AvailableCard;
const sprint = (id: string) => ({ id, name: id, status: "planned" }) as Sprint;
const settle = () => new Promise<void>((resolve) => { setTimeout(resolve); });

/** A plan over an API that notes what it is asked, and refuses when the test says so. */
async function plan(columns = [column("todo", [card("a"), card("b"), card("c", "s1"), card("d")]), column("doing", [
  card("e", "s1"), card("f")])]) {
  const asked: PlaceRequest[][] = [];
  const removed: string[] = [];
  const made: unknown[] = [];
  const searched: string[] = [];
  let refusal: Error | null = null;
  const api: PlanningApi = {
    readBoard: async () => whole(columns),
    readAvailable: async (_, q) => {
      searched.push(q);
      return { cards: [loose("x"), loose("y")], total: 5 };
    },
    readOpenSprints: async () => [sprint("s1"), sprint("s2")],
    place: async (_, places) => {
      asked.push(places);
      if (refusal) throw refusal;
    },
    takeOff: async (_, id) => { removed.push(id); },
    create: async (...all) => {
      made.push(all.slice(1));
      return "new";
    },
  };
  let later = 0;
  const planning = new Planning(PATH, () => { later += 1; }, api);
  await planning.reload();
  const refuse = (error: Error) => { refusal = error; };
  return { planning, api, asked, removed, made, searched, refuse, laterCalls: () => later };
}

const TODO = { kind: "column", id: "todo" } as const;
const DOING = { kind: "column", id: "doing" } as const;
const S1 = { kind: "sprint", id: "s1" } as const;
const LOOSE = { kind: "loose" } as const;
const ids = (cards: readonly { id: string }[]) => cards.map(({ id }) => id).join(" ");

test("free cards stand by column, or on no board; sprints have theirs in the board's order", async () => {
  const { planning } = await plan();
  assert.equal(ids(planning.listOf(TODO)), "a b d");
  assert.equal(ids(planning.listOf(DOING)), "f");
  assert.equal(ids(planning.listOf(LOOSE)), "x y");
  assert.equal(ids(planning.listOf(S1)), "c e");
  assert.equal(planning.beyond.value, 3);
});

test("a done card is in its sprint, and not in the backlog", async () => {
  const { planning } = await plan([column("done", [card("a", null, false), card("b", "s1", false)])]);
  assert.equal(ids(planning.free.value), "x y");
  assert.equal(ids(planning.listOf(S1)), "b");
});

test("cards go into a sprint at once and in one request; they keep their places on the board", async () => {
  const { planning, asked } = await plan();
  for (const id of ["d", "a", "x"]) planning.select(id);
  planning.place(planning.subjects(undefined), { sprint: "s1" });
  assert.equal(ids(planning.listOf(S1)), "a c d e x");
  assert.equal(planning.selected.value.size, 0);
  await settle();
  assert.deepEqual(asked, [["a", "d", "x"].map((cardId) => ({ cardId, sprintId: "s1" }))]);
});

test("a card that is dropped among those of its column goes before the next of them", async () => {
  const { planning, asked } = await plan();
  planning.drop("d", TODO, 0);
  assert.equal(ids(planning.listOf(TODO)), "d a b");
  planning.drop("a", TODO, 2);
  // Between b and d stands c, which is in a sprint: the place is behind the card above.
  assert.equal(ids(planning.listOf(TODO)), "d b a");
  await settle();
  assert.deepEqual(asked[0], [{ cardId: "d", sprintId: null, statusId: "todo", beforeCardId: "a" }]);
  assert.deepEqual(asked[1], [{ cardId: "a", sprintId: null, statusId: "todo", afterCardId: "b" }]);
});

test("a card that is dropped where it is asks for nothing", async () => {
  const { planning, asked } = await plan();
  planning.drop("b", TODO, 1);
  await settle();
  assert.deepEqual(asked, []);
});

test("a drop into another column moves the card there, and one from outside onto the board", async () => {
  const { planning, asked } = await plan();
  planning.drop("x", DOING, 0);
  assert.equal(ids(planning.listOf(DOING)), "x f");
  planning.drop("a", DOING, 2);
  assert.equal(ids(planning.listOf(DOING)), "x f a");
  await settle();
  assert.deepEqual(asked[0], [{ cardId: "x", sprintId: null, statusId: "doing", afterCardId: "e" }]);
  assert.deepEqual(asked[1], [{ cardId: "a", sprintId: null, statusId: "doing", afterCardId: "f" }]);
});

test("in a sprint's list the others of the card's column decide its order", async () => {
  const { planning, asked } = await plan();
  planning.drop("d", S1, 0);
  assert.equal(ids(planning.listOf(S1)), "d c e");
  await settle();
  assert.deepEqual(asked[0], [{ cardId: "d", sprintId: "s1", statusId: "todo", afterCardId: "b" }]);
  planning.drop("f", S1, 0);
  await settle();
  assert.deepEqual(asked[1], [{ cardId: "f", sprintId: "s1", statusId: "doing", beforeCardId: "e" }]);
});

test("several cards are dropped in their order", async () => {
  const { planning, asked } = await plan();
  for (const id of ["b", "a"]) planning.select(id);
  planning.drop("b", TODO, 1);
  assert.equal(ids(planning.listOf(TODO)), "d a b");
  await settle();
  assert.deepEqual(asked[0], [{ cardId: "a", sprintId: null, statusId: "todo", afterCardId: "d" },
    { cardId: "b", sprintId: null, statusId: "todo", afterCardId: "a" }]);
});

test("refused cards go back to where they were, with the reason", async () => {
  const { planning, refuse } = await plan();
  refuse(new Error("The sprint is completed."));
  planning.place(["b", "a"], { sprint: "s1" });
  await settle();
  assert.equal(ids(planning.listOf(TODO)), "a b d");
  assert.ok(messages.value.some(({ message, bad }) => bad && message.includes("The sprint is completed.")));
});

test("undo puts cards back, and those from outside off the board", async () => {
  const { planning, asked, removed } = await plan();
  planning.place(["a", "x"], { sprint: "s1" });
  await settle();
  await undo();
  assert.deepEqual(removed, ["x"]);
  assert.deepEqual(asked[1], [{ cardId: "a", sprintId: null, statusId: "todo", beforeCardId: "b" }]);
});

test("undo means the last change, also before it is answered", async () => {
  const { planning } = await plan();
  planning.place(["a"], { sprint: "s1" });
  await settle();
  planning.place(["b"], { sprint: "s1" });
  const undone = undo();
  assert.equal(ids(planning.listOf(S1)), "a c e");
  await undone;
});

test("an answer that is older than a change is dropped", async () => {
  const { planning, api, laterCalls } = await plan();
  let answer: (board: KnownBoard) => void = () => {};
  api.readBoard = () => new Promise((resolve) => { answer = resolve; });
  const reading = planning.reload();
  planning.place(["a"], { sprint: "s2" });
  answer(whole([column("todo", [card("a")])]));
  await reading;
  assert.equal(planning.cards.value.find(({ id }) => id === "a")?.sprint_id, "s2");
  assert.ok(laterCalls() > 0);
});

test("what was read again and is equal keeps its identity", async () => {
  const { planning } = await plan();
  const [before, sprints] = [planning.cards.value, planning.sprints.value];
  await planning.reload();
  assert.equal(planning.cards.value[0], before[0]);
  assert.equal(planning.sprints.value, sprints);
});

test("a new card is made in its sprint, or on no board", async () => {
  const { planning, made } = await plan();
  await planning.add(S1, "p", { name: "New" }, "k1");
  await planning.add(LOOSE, "p", { name: "New" }, "k2");
  assert.deepEqual(made, [["p", { name: "New" }, { sprintId: "s1" }, "k1"], ["p", { name: "New" }, null, "k2"]]);
});

test("the search narrows cards of the board by name; the service searches the others", async () => {
  const { planning, searched } = await plan();
  planning.filter.value = { q: "card b" };
  await planning.reload();
  assert.equal(ids(planning.free.value), "b x y");
  assert.deepEqual(searched, ["", "card b"]);
  planning.filter.value = { due: "late" };
  assert.equal(ids(planning.free.value), "");
});
