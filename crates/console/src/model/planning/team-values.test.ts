import assert from "node:assert/strict";
import { test } from "node:test";
import { signal } from "@preact/signals";
import type { BoardCard } from "../../api/planning/boards";
import type { FieldValues } from "../../api/planning/custom-fields";
import { messages } from "../messages";
import { undo } from "../undo";
import { Board } from "./board";
import { columnsOf, fieldIn, sayIn, sortKeyIn } from "./field-columns";
import { fieldFilterOf, fieldParameterOf, fitsFields, testOf, withTest, type FieldFilter } from "./field-filter";
import { TeamValues, type ValuesApi } from "./team-values";
import { card, column, field, option } from "./testing";

const weight = field("w", { name: "Weight", type: "number", unit: "kg" });
const finish = field("f", { name: "Finish", type: "choices", options: [option("a", "oiled"), option("b", "raw")] });
const other = field("f2", { name: "finish", type: "choices", project_id: "q",
  options: [option("c", "Raw"), option("d", "blued")] });
const columns = columnsOf([weight, finish, other, field("old", { status: "archived" })]);
const names = { person: (id: string) => `person ${id}`, day: (iso: string) => iso };
const [ofWeight, ofFinish] = columns as [typeof columns[0], typeof columns[0]];

test("fields of one name in two projects are one column, with options by their names", () => {
  assert.deepEqual(columns.map(({ key, name }) => `${key} ${name}`), ["field-w Weight", "field-f Finish"]);
  assert.deepEqual(ofFinish.options.map(({ name, ids }) => `${name} ${[...ids].join("+")}`),
    ["oiled a", "raw b+c", "blued d"]);
  assert.equal(fieldIn(ofFinish, "q")?.id, "f2");
  assert.equal(sayIn(ofFinish, { f2: ["c", "d"] }, names), "Raw, blued");
  assert.equal(sayIn(ofWeight, {}, names), "");
});

test("cards are sorted by numbers and by the order of options, those without a value last", () => {
  const keys = [{ w: 10 }, { w: 9 }, {}].map((values) => sortKeyIn(ofWeight, values as FieldValues, names));
  assert.deepEqual(keys, [10, 9, Number.MAX_VALUE]);
  assert.deepEqual([{ f: ["b"] }, { f2: ["d"] }].map((values) =>
    sortKeyIn(ofFinish, values as unknown as FieldValues, names)), [1, 2]);
});

test("a filter goes into an address as the service takes it, and what can't be read is left out", () => {
  const filter: FieldFilter = { f: ["a", null], w: { from: 2, to: 3.5 } };
  const said = fieldParameterOf(filter) ?? "";
  assert.equal(said, '{"f":["a",null],"w":{"from":2,"to":3.5}}');
  assert.deepEqual(fieldFilterOf(new URLSearchParams({ fields: said })), filter);
  assert.equal(fieldParameterOf({}), null);
  for (const wrong of ["", "{", "1", "null", '["a"]', '{"f":[]}', '{"f":{}}', '{"f":[true]}', '{"w":{"above":1}}']) {
    assert.deepEqual(fieldFilterOf(new URLSearchParams({ fields: wrong })), {}, wrong);
  }
});

test("cards pass by options of one name, by ranges with their bounds, and by no value", () => {
  const fits = (filter: FieldFilter, values: unknown) => fitsFields(filter, columns, values as FieldValues);
  assert.ok(fits({ f: ["b"] }, { f2: ["c"] }));
  assert.ok(!fits({ f: ["a"] }, { f: ["b"] }));
  assert.ok(fits({ f: ["a", null] }, {}));
  assert.ok(!fits({ f: ["a"] }, {}));
  assert.ok(fits({ w: { from: 2 } }, { w: 2 }));
  assert.ok(!fits({ w: { from: 2, to: 3 } }, { w: 3.01 }));
  assert.ok(!fits({ w: { to: 3 } }, {}));
  assert.ok(!fits({ w: { to: 3 }, f: ["a"] }, { w: 1 }));
  assert.ok(fits({ gone: ["a"] }, {}));
  assert.ok(fits({ f: { not: ["a"] } }, {}));
  assert.ok(!fits({ f: { not: [null] } }, {}));
  assert.ok(!fits({ f: { not: ["b"] } }, { f2: ["c"] }));
});

test("a column has one test, whichever of its fields an address names", () => {
  assert.deepEqual(testOf({ f2: ["c"] }, ofFinish), ["c"]);
  assert.deepEqual(withTest({ f2: ["c"], w: [1] }, ofFinish, ["a"]), { w: [1], f: ["a"] });
  assert.deepEqual(withTest({ f2: ["c"], w: [1] }, ofFinish, []), { w: [1] });
});

const valued: Record<string, FieldValues> = { x: { w: 2 }, y: { w: 3 } };
function opened(cards: BoardCard[], others: Partial<ValuesApi> = {}) {
  const asked: string[] = [];
  const board = new Board({ orgId: "o", teamId: "t" }, [column("todo", cards)]);
  const api: ValuesApi = { fields: async () => [weight], people: async () => [],
    change: async () => ({}) as Awaited<ReturnType<ValuesApi["change"]>>,
    list: async () => { asked.push("list"); return cards.map(({ id }) => ({ id, fields: valued[id] ?? {} })); },
    read: async (_project, id) => { asked.push(id); return { id, fields: valued[id] ?? {} }; }, ...others };
  return { board, asked, values: new TeamValues(board, ["p"], api) };
}
const soon = () => new Promise<void>((resolve) => { setTimeout(resolve, 90); });

test("values are read when they are needed, and again for a card whose history went on", async () => {
  const { board, asked, values } = opened([card("x"), card("y"), card("z", { project_id: "q" })]);
  const isNeeded = signal(false);
  await values.readFields();
  const stop = values.follow(isNeeded);
  await soon();
  assert.deepEqual(asked, []);
  isNeeded.value = true;
  await soon();
  assert.deepEqual(asked, ["x", "y"]);
  assert.deepEqual(values.of("y"), { w: 3 });
  board.update("y", { history_head_id: "h2" });
  await soon();
  assert.deepEqual(asked, ["x", "y", "y"]);
  stop();
});

test("many cards are read as the list of their project", async () => {
  const { asked, values } = opened(Array.from({ length: 30 }, (_, at) => card(`c${at}`)));
  await values.readFields();
  const stop = values.follow(signal(true));
  await soon();
  assert.deepEqual(asked, ["list"]);
  stop();
});

test("a value is shown at once, undone by the one before, and taken back if it is refused", async () => {
  const sent: unknown[] = [];
  let isRefused = false;
  const { values } = opened([card("x")], { change: async (_path, { fields }) => {
    sent.push(fields);
    if (isRefused) throw new Error("Too heavy.");
    return {} as Awaited<ReturnType<ValuesApi["change"]>>;
  } });
  const set = values.set(card("x"), weight, 5);
  assert.deepEqual(values.of("x"), { w: 5 });
  await set;
  await undo();
  assert.deepEqual(values.of("x"), {});
  assert.deepEqual(sent, [{ w: 5 }, { w: null }]);
  isRefused = true;
  await values.set(card("x"), weight, 50);
  assert.deepEqual(values.of("x"), {});
  assert.ok(messages.value.some(({ message }) => message.includes("Too heavy.")));
});
