import assert from "node:assert/strict";
import { test } from "node:test";
import type { CardApi } from "../../api/planning/cards";
import { ApiError } from "../../api/errors";
import { Board } from "./board";
import { FieldDraft } from "./field-draft";
import { messages } from "../messages";
import { OpenCard } from "./open-card";
import { card as boardCard, cardApiOf, column, read, settle, whole } from "./testing";
import { undo } from "../undo";

const teamOf = (teamId: string) => ({ orgId: "o", teamId });
const conflict = (fields: Record<string, unknown>, head = "h2") => new ApiError(409, { code: "CARD_HISTORY_CONFLICT",
  message: "Changed.", details: { fields, conflicts: [{ currentHistoryHeadId: head }] } });

async function opened(others: Partial<CardApi> = {}, board: Board | null = null) {
  let now = read("c");
  const api = cardApiOf(() => now, others);
  // The service keeps what it has accepted.
  const change = api.change;
  api.change = async (...asked) => {
    const answer = await change(...asked);
    now = { ...now, ...answer };
    return answer;
  };
  return await OpenCard.open({ projectId: "p", cardId: "c" }, { board, teamOf }, api);
}

const draftOf = (card: OpenCard, name: "name" | "effort" = "name") => new FieldDraft({
  name, head: () => card.head, refresh: () => card.refresh(),
  read: () => (name === "name" ? card.now.value.card.name : String(card.now.value.card.effort || "")),
  save: (typed, head) => card.change(name === "name" ? { name: typed } : { effort: Number(typed) }, head),
});

test("an assignee is shown at once, on the board as well, and taken back if refused", async () => {
  const board = new Board({ orgId: "o", teamId: "team" }, [column("todo", [boardCard("c")])]);
  const card = await opened({ relate: async () => { throw new Error("No rights."); } }, board);
  const sent = card.edits.assign("c", { id: "u1", display_name: "Ada" }, true);
  assert.deepEqual(card.summary.value.assignees.map((one) => one.display_name), ["Ada"]);
  assert.deepEqual(board.card("c")?.assignees.map(({ id }) => id), ["u1"]);
  assert.equal(await sent, false);
  assert.deepEqual(card.summary.value.assignees, []);
  assert.deepEqual(board.card("c")?.assignees, []);
  assert.ok(messages.value.some(({ message }) => message.includes("No rights.")));
});

test("a former member keeps the name that the board knows, and can be taken off", async () => {
  const gone = { id: "u9", display_name: "Grace" };
  const board = new Board({ orgId: "o", teamId: "team" }, [column("todo", [boardCard("c", { assignees: [gone] })])]);
  const now = read("c");
  now.indexCard.user_ids = ["u9"];
  const asked: boolean[] = [];
  const relate: CardApi["relate"] = async (_path, _what, _id, is) => {
    asked.push(is);
    now.indexCard.user_ids = [];
  };
  const card = await opened({ read: async () => structuredClone(now), relate }, board);
  assert.deepEqual(card.summary.value.assignees, [gone]);
  await card.edits.assign("c", gone, false);
  assert.deepEqual(asked, [false]);
  assert.deepEqual(card.summary.value.assignees, []);
});

test("an edit is undone by its inverse", async () => {
  const asked: unknown[] = [];
  const card = await opened({ change: async (_path, changes) => {
    asked.push(changes);
    return read("c", { effort: 5 }, "h2");
  } });
  await card.change({ effort: 5 });
  assert.equal(card.now.value.card.effort, 5);
  await undo();
  assert.deepEqual(asked, [{ effort: 5, expectedHistoryHeadId: "h1" }, { effort: 0 }]);
});

test("a start day is sent as the API names it", async () => {
  const asked: unknown[] = [];
  const card = await opened({ change: async (_path, changes) => {
    asked.push(changes);
    return read("c", { start_date: "2026-12-01" }, "h2");
  } });
  await card.change({ start_date: "2026-12-01" });
  assert.deepEqual(asked, [{ startDate: "2026-12-01", expectedHistoryHeadId: "h1" }]);
});

test("a custom field is shown at once beside the others, and undone by its value before", async () => {
  const asked: unknown[] = [];
  const now = read("c", { fields: { a: 1, b: "x" } });
  const card = await opened({ read: async () => now, change: async (_path, changes) => {
    asked.push(changes);
    return read("c", { fields: { a: 1, b: "x", c: ["o"] } }, "h2");
  } });
  const sent = card.change({ fields: { c: ["o"] } });
  assert.deepEqual(card.now.value.card.fields, { a: 1, b: "x", c: ["o"] });
  await sent;
  await undo();
  assert.deepEqual(asked, [{ fields: { c: ["o"] }, expectedHistoryHeadId: "h1" }, { fields: { c: null } }]);
});

test("own changes of a custom field follow one another, and another field's head is not theirs", async () => {
  const heads: (string | null | undefined)[] = [];
  const card = await opened({ change: async (_path, changes) => {
    heads.push(changes.expectedHistoryHeadId);
    return read("c", { fields: { ...changes.fields as Record<string, string> } }, `h${heads.length + 1}`);
  } });
  const head = card.head;
  await Promise.all([card.change({ fields: { a: "1" } }, head), card.change({ fields: { a: "2" } }, head),
    card.change({ fields: { b: "3" } }, head)]);
  assert.deepEqual(heads, ["h1", "h2", "h1"]);
});

test("a typed value of a custom field stands beside that of somebody else", async () => {
  const card = await opened({ change: async () => { throw conflict({ fields: { w: 7 } }); } });
  const draft = new FieldDraft({ name: "fields.w", head: () => card.head, refresh: () => card.refresh(),
    read: () => String(card.now.value.card.fields.w ?? ""),
    save: (typed, head) => card.change({ fields: { w: Number(typed) } }, head) });
  draft.type("3");
  assert.equal(await draft.leave(), false);
  assert.equal(draft.conflict.value, "7");
});

test("a card hears of itself, of cards that it names, and of what may be below it", async () => {
  const event = (cardId: string, type = "card.updated", fields: string[] = []) =>
    ({ type, id: "1", data: { data: { cardId, fields } } });
  const relation = { kind: "blocks" as const, direction: "inward" as const,
    card: { id: "d", projectId: "p", key: null, name: "d", isOpen: true } };
  const card = await opened({ read: async () => ({ ...read("c", { parent_id: "up" }), relations: [relation] }) });
  for (const id of ["c", "d", "up"]) assert.ok(card.isAbout(event(id)), id);
  assert.ok(!card.isAbout(event("other")));
  assert.ok(card.isAbout(event("other", "card.created")));
  assert.ok(card.isAbout(event("other", "card.updated", ["parent_id"])));
});

test("own changes of a field that follow one another are no conflict", async () => {
  const heads: (string | null | undefined)[] = [];
  const card = await opened({ change: async (_path, changes) => {
    heads.push(changes.expectedHistoryHeadId);
    return read("c", { effort: Number(changes.effort) }, `h${heads.length + 1}`);
  } });
  const head = card.head;
  await Promise.all([card.change({ effort: 8 }, head), card.change({ effort: 13 }, head)]);
  assert.deepEqual(heads, ["h1", "h2"]);
  assert.equal(card.now.value.card.effort, 13);
});

test("a reading that is older than an edit is dropped", async () => {
  let answer: (now: ReturnType<typeof read>) => void = () => {};
  const card = await opened({ change: async () => read("c", { name: "mine" }, "h2") });
  const slow = new OpenCard(read("c"), card.around.value, card.context, cardApiOf(() => read("c"), {
    read: () => new Promise((resolve) => { answer = resolve; }),
    change: async () => read("c", { name: "mine" }, "h2"),
  }));
  const reading = slow.refresh();
  const sent = slow.change({ name: "mine" });
  answer(read("c", { name: "old" }));
  await reading;
  await sent;
  assert.equal(slow.now.value.card.name, "mine");
});

test("a typed text stays where somebody else changed the field, and the person decides", async () => {
  const saved: unknown[] = [];
  let isFirst = true;
  const card = await opened({ change: async (_path, changes) => {
    if (isFirst) {
      isFirst = false;
      throw conflict({ name: "theirs" });
    }
    saved.push(changes.name);
    return read("c", { name: String(changes.name) }, "h3");
  } });
  const draft = draftOf(card);
  draft.type("mine");
  assert.equal(await draft.leave(), false);
  assert.equal(draft.conflict.value, "theirs");
  assert.equal(draft.value.value, "mine");
  assert.equal(await draft.keepMine(), true);
  assert.deepEqual(saved, ["mine"]);
  assert.equal(draft.conflict.value, null);
});

test("a change of something else of the card is no conflict", async () => {
  const heads: (string | null | undefined)[] = [];
  const card = await opened({ change: async (_path, changes) => {
    heads.push(changes.expectedHistoryHeadId);
    if (heads.length === 1) throw conflict({ name: "c" }, "h7");
    return read("c", { name: String(changes.name) }, "h8");
  } });
  const draft = draftOf(card);
  draft.type("mine");
  assert.equal(await draft.leave(), true);
  assert.deepEqual(heads, ["h1", "h7"]);
});

test("a refused text stays with its reason, and an unchanged one sends nothing", async () => {
  let asked = 0;
  const card = await opened({ change: async () => {
    asked += 1;
    throw new Error("Too long.");
  } });
  const draft = draftOf(card);
  draft.type("c ");
  assert.equal(await draft.leave(), true);
  assert.equal(asked, 0);
  draft.type("x".repeat(300));
  assert.equal(await draft.leave(), false);
  assert.equal(draft.failure.value, "Too long.");
  assert.equal(draft.value.value.length, 300);
});

test("what was typed while an earlier text was sent stays", async () => {
  const card = await opened({ change: async (_path, changes) => read("c", { effort: Number(changes.effort) }, "h2") });
  const draft = draftOf(card, "effort");
  draft.type("8");
  const sent = draft.leave();
  draft.type("13");
  await sent;
  assert.equal(draft.value.value, "13");
  await settle();
});

test("a done card goes to the column for done cards; without one the person is told", async () => {
  const board = new Board({ orgId: "o", teamId: "team" },
    [column("todo", [boardCard("c")]), column("done", [], { transition_state: "closed" })], () => {},
    { read: async () => whole([]), place: async () => false, takeOff: async () => {}, remove: async () => {},
      create: async () => "" });
  const card = await opened({ change: async () => read("c", { is_open: false }, "h2") }, board);
  await card.setOpen(false);
  assert.deepEqual(board.columns.value.map(({ cards }) => cards.length), [0, 1]);
  const alone = new Board({ orgId: "o", teamId: "team" }, [column("todo", [boardCard("c")])]);
  await (await opened({ change: async () => read("c", { is_open: false }, "h2") }, alone)).setOpen(false);
  assert.ok(messages.value.some(({ message }) => message.includes("stays in todo")));
});
