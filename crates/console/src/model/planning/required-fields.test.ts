import assert from "node:assert/strict";
import { test } from "node:test";
import { ApiError } from "../../api/errors";
import { inputsOf, lacksFields, readRequired } from "./required-fields";
import { field } from "./testing";

const refusal = (path: string, rule: string) => new ApiError(400, { code: "INVALID_REQUEST", message: "No.",
  details: { issues: [{ path, rule, message: "is required" }] } });

test("a card lacks fields where required ones are missing, alone or among operations", () => {
  assert.ok(lacksFields(refusal("body.fields.Risk", "required")));
  assert.ok(lacksFields(refusal("body.operations[0].fields.Risk", "required")));
  assert.ok(!lacksFields(refusal("body.name", "required")));
  assert.ok(!lacksFields(refusal("body.fields.Risk", "maximum")));
  assert.ok(!lacksFields(new Error("No.")));
  assert.equal(refusal("body.operations[0].fields.Risk", "required").message, "Risk is required");
});

test("fields with a default, archived ones and others are not asked for", async () => {
  const fields = [field("a", { is_required: true }), field("b", { is_required: true, default_value: "x" }),
    field("c", { is_required: true, status: "archived" }), field("d")];
  assert.deepEqual((await readRequired("p", async () => fields)).map(({ id }) => id), ["a"]);
});

test("what a form gives becomes values by the types, and empty ones are left out", () => {
  const given: Record<string, string[]> = { n: ["2.5"], s: ["a", "b"], t: [" "], c: ["a"], none: [] };
  const fields = [field("n", { type: "number" }), field("s", { type: "choices" }), field("t"),
    field("c", { type: "choice" }), field("none", { type: "choices" })];
  assert.deepEqual(inputsOf(fields, (id) => given[id] ?? []), { n: 2.5, s: ["a", "b"], c: "a" });
});
