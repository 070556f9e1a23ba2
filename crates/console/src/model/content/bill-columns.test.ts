import assert from "node:assert/strict";
import { test } from "node:test";
import { columnsOf, headingOf, toggled, USUAL, valueOf, withTyped } from "./bill-columns";

test("kept columns come back, and damaged ones are the usual ones", () => {
  const chosen = withTyped(toggled(USUAL, "material"), " massKg, /data/size/x ,, massKg");
  assert.deepEqual(chosen.properties, ["partNumber", "massKg", "/data/size/x"]);
  assert.deepEqual(columnsOf(JSON.stringify(chosen)), chosen);
  for (const kept of [null, "", "{", "null", "7", "\"x\"", "{\"properties\": 7}"]) {
    assert.deepEqual(columnsOf(kept).hasFile, true, String(kept));
  }
  assert.deepEqual(columnsOf("{"), USUAL);
  assert.equal(columnsOf(JSON.stringify({ properties: Array(30).fill("x") })).properties.length, 20);
});

test("values are written as the properties of objects are, the different ones of a row side by side", () => {
  const row = { properties: { material: ["steel", "brass"], mass: [{ value: 2.5, unit: "kilogram" }], box: [{ x: 1 }],
    isHard: [true] } };
  assert.equal(valueOf(row, "material"), "steel, brass");
  assert.equal(valueOf(row, "mass"), "2.5 kg");
  assert.equal(valueOf(row, "box"), "{\"x\":1}");
  assert.equal(valueOf(row, "isHard"), "yes");
  assert.equal(valueOf(row, "partNumber"), "");
  assert.equal(headingOf("partNumber"), "Part number");
  assert.equal(headingOf("/data/size/x"), "size/x");
});
