import assert from "node:assert/strict";
import { test } from "node:test";
import { field } from "../planning/testing";
import { fieldsOfObject, valuesOf, withoutValues, withValues } from "./object-fields";

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
