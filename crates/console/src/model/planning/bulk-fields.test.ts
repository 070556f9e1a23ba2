import assert from "node:assert/strict";
import { test } from "node:test";
import type { BoardCard } from "../../api/planning/boards";
import type { CardOperation } from "../../api/planning/cards";
import type { CustomField, FieldValues } from "../../api/planning/custom-fields";
import { undo } from "../undo";
import { Board } from "./board";
import { Bulk } from "./bulk";
import { BulkFields } from "./bulk-fields";
import type { BulkApi } from "./bulk-requests";
import { columnWith } from "./field-columns";
import { TeamValues } from "./team-values";
import { card, column, field, option } from "./testing";

const weight = field("w", { name: "Weight", type: "number", unit: "kg" });
const risk = field("r", { name: "Risk", type: "choice", options: [option("low"), option("high")] });
const other = field("q", { name: "risk", type: "choice", project_id: "q", options: [option("h2", "High")] });

/** A board of cards with values; operations on the card `refused` are refused. */
async function opened(cards: BoardCard[], valued: Record<string, FieldValues>, refused = "") {
  const sent: [string, CardOperation[]][] = [];
  const board = new Board({ orgId: "o", teamId: "t" }, [column("todo", cards)]);
  const fields: Record<string, CustomField[]> = { p: [weight, risk], q: [other], n: [] };
  const values = new TeamValues(board, ["p", "q", "n"], {
    fields: async (project) => fields[project] ?? [], people: async () => [], list: async () => [],
    change: async () => { throw new Error("not here"); },
    read: async (_project, id) => ({ id, fields: valued[id] ?? {} }),
  });
  await values.readFields();
  const issues = [{ path: "body.operations[1].fields.w", rule: "maximum", message: "must be at most 10" }];
  const api: Pick<BulkApi, "change"> = { change: async (project, operations) => {
    sent.push([project, operations]);
    const error = { code: "INVALID_REQUEST" as const, message: "Invalid.", details: { issues } };
    return operations.map((one) =>
      ("cardId" in one && one.cardId === refused ? { status: 400, error } : { status: 200 }));
  } };
  const bulk = new Bulk(board);
  return { values, bulk, sent, many: new BulkFields(board, bulk, values, api) };
}
const columnOf = (values: TeamValues, id: string) => {
  const found = columnWith(values.columns.value, id);
  assert.ok(found);
  return found;
};
const updated = (cardId: string, fields: unknown) => ({ op: "update", cardId, fields });

test("a value is set on many cards with one request, and undone by what each had", async () => {
  const { values, sent, many } = await opened([card("a"), card("b"), card("c")], { a: { w: 1 }, b: { w: 5 } });
  await many.set(["a", "b", "c"], columnOf(values, "w"), 5);
  assert.deepEqual(["a", "b", "c"].map((id) => values.of(id)), [{ w: 5 }, { w: 5 }, { w: 5 }]);
  assert.deepEqual(sent, [["p", [updated("a", { w: 5 }), updated("c", { w: 5 })]]], "what has it is left alone");
  await undo();
  assert.deepEqual(["a", "b", "c"].map((id) => values.of(id)), [{ w: 1 }, { w: 5 }, {}]);
  assert.deepEqual(sent[1], ["p", [updated("a", { w: 1 }), updated("c", { w: null })]]);
});

test("a refused card keeps its value, with the reason at the field's name", async () => {
  const { values, bulk, sent, many } = await opened([card("a"), card("b")], { a: { w: 1 }, b: { w: 2 } }, "b");
  await many.set(["a", "b"], columnOf(values, "w"), null);
  assert.deepEqual([values.of("a"), values.of("b")], [{}, { w: 2 }]);
  assert.equal(bulk.errors.value.get("b"), "Weight must be at most 10");
  assert.equal(bulk.errors.value.size, 1);
  await undo();
  assert.deepEqual(sent[1], ["p", [updated("a", { w: 1 })]], "what was refused is not undone");
});

test("an option goes by its name in each project, and cards without the field or the option say so", async () => {
  const cards = [card("a"), card("b", { project_id: "q" }), card("c", { project_id: "n" })];
  const { values, bulk, sent, many } = await opened(cards, {});
  await many.set(["a", "b", "c"], columnOf(values, "r"), "high");
  assert.deepEqual(sent, [["p", [updated("a", { r: "high" })]], ["q", [updated("b", { q: "h2" })]]]);
  assert.equal(bulk.errors.value.get("c"), "Its project has no field Risk.");
  await many.set(["b"], columnOf(values, "r"), "low");
  assert.equal(bulk.errors.value.get("b"), "In its project, Risk has no option low.");
  assert.equal(sent.length, 2);
});
