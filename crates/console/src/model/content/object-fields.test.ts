import assert from "node:assert/strict";
import { test } from "node:test";
import { field, option } from "../planning/testing";
import { fieldsOfObject, misfitOf, valuesOf, withoutValues, withValues } from "./object-fields";

const mass = field("m", { type: "number", applies_to: "objects", object_type: "Part" });
const note = field("n", { applies_to: "both" });
const old = field("o", { applies_to: "objects", status: "archived" });
const ofCards = field("c");
const all = [mass, note, old, ofCards];

test("an object has the fields of its type, and archived ones with a value", () => {
  const names = (type: string, data = {}) => fieldsOfObject(all, type, data).map(({ id }) => id).join("");
  assert.equal(names("Part"), "mn");
  assert.equal(names("Page"), "n");
  assert.equal(names("Page", { fields: { o: "x" } }), "no");
});

test("values change below their ids, and other properties stay", () => {
  const data = { a: 1, fields: { m: 2, n: "x", colour: "red" } };
  assert.deepEqual(valuesOf(data, [mass, note]), { m: 2, n: "x" });
  assert.deepEqual(withValues(data, [mass, note], { m: 3 }), { a: 1, fields: { colour: "red", m: 3 } });
  assert.deepEqual(withoutValues({ a: 1, fields: { m: 2 } }, [mass]), { a: 1 });
  assert.deepEqual(withoutValues({ fields: "free" }, [mass]), { fields: "free" });
  assert.deepEqual(valuesOf({ fields: { m: { deep: 1 } } }, [mass]), {});
});

test("a value that its field no longer takes is told, and so is a missing one", () => {
  const bounded = field("m", { type: "number", applies_to: "objects", minimum: 0, maximum: 20, is_required: true });
  assert.deepEqual([bounded, mass].map((one) => misfitOf(one, undefined)), ["Needs a value", ""]);
  assert.deepEqual([0, 20, 30, "x"].map((value) => misfitOf(bounded, value)),
    ["", "", "No longer fits the field", "No longer fits the field"]);
  const risk = field("r", { type: "choice", options: [option("low"), option("high", "high", true)] });
  assert.deepEqual(["low", "high", "gone", ["low", "low"]].map((value) => misfitOf(risk, value)),
    ["", "The option is archived", "No longer fits the field", "No longer fits the field"]);
  assert.equal(misfitOf(note, "x"), "");
  assert.equal(misfitOf(old, 1), "", "an archived field has no say");
});
