import assert from "node:assert/strict";
import { test } from "node:test";
import { importOf } from "./imports";
import { patchOf, prettyJson, propertyRows, symbolOf } from "./properties";
import { PropertyDraft } from "./property-draft";

const TRUTH = { true: "yes", false: "no" };

test("properties are rows, nested ones by their way, measures with their unit", () => {
  const rows = propertyRows({ material: "steel", hardened: true, holes: { count: 3 },
    definition: { id: "nut", name: "nut", geometry: "e0", validation: {
      volume: { unit: "millimetre³", value: 664.37421974184 },
      surfaceArea: { unit: "millimetre²", value: 747.02478901525 } } },
    placement: [[1, 0], [0, 1]] }, TRUTH);
  assert.deepEqual(rows.map(({ name, value }) => `${name}: ${value}`), ["material: steel", "hardened: yes",
    "holes › count: 3", "Volume: 664.374 mm³", "Surface area: 747.025 mm²"]);
});

test("material and thickness come first, properties of the file by their own names", () => {
  const rows = propertyRows({ color: "red", definition: { id: "nut", version: "2", geometry: "e0",
    properties: { "Wall Thickness": { value: 2.5, unit: "millimetre" }, Supplier: "ACME", Count: { value: 3 } },
    material: { name: "S235", density: { value: 7.85, unit: "gram/centimetre³" } } },
  occurrence: { id: "1", name: "nut_1", designator: "A4",
    properties: { Torque: { value: 12, unit: "newton metre" } } } }, TRUTH);
  assert.deepEqual(rows.map(({ name, value }) => `${name}: ${value}`), ["Material: S235",
    "Material › Density: 7.85 g/cm³", "Wall Thickness: 2.5 mm", "color: red", "Version: 2", "Supplier: ACME",
    "Count: 3", "Occurrence › Designator: A4", "Occurrence › Torque: 12 N m"]);
});

test("units are written as engineers write them", () => {
  assert.equal(symbolOf("gram/centimetre³"), "g/cm³");
  assert.equal(symbolOf("megapascal"), "MPa");
  assert.equal(symbolOf("cubit"), "cubit");
});

test("a patch has what was changed alone, and null for what is gone", () => {
  assert.deepEqual(patchOf({ teeth: 24, holes: { count: 3, size: 1 }, material: "steel" },
    { teeth: 25, holes: { count: 3, size: 2 }, finish: "none" }),
  { teeth: 25, holes: { size: 2 }, finish: "none", material: null });
  assert.deepEqual(patchOf({ a: [1, { b: 2 }] }, { a: [1, { b: 2 }] }), {});
});

test("short lists of JSON stand in one line", () => {
  assert.equal(prettyJson({ m: [[1, 0], [0, 1]] }), "{\n  \"m\": [\n    [1, 0],\n    [0, 1]\n  ]\n}");
});

test("an edited name may be neither empty nor twice there", () => {
  const draft = new PropertyDraft({ teeth: 24 });
  const id = draft.add();
  let said = "";
  const values = () => { try { draft.values(); } catch (error) { said = (error as Error).message; } };
  values();
  assert.ok(said.includes("no name"));
  draft.change(id, { name: "teeth" });
  values();
  assert.ok(said.includes("named teeth"));
  draft.change(id, { name: "hardened" });
  draft.setKind(id, "truth");
  assert.deepEqual(draft.values(), { teeth: 24, hardened: false });
});

test("rows become JSON and come back", () => {
  const draft = new PropertyDraft({ teeth: 24, holes: { count: 3 } });
  draft.toggle();
  draft.json.value = JSON.stringify({ teeth: 25 });
  draft.toggle();
  assert.deepEqual(draft.values(), { teeth: 25 });
});

test("a failed import has its reason, one that was read has none", () => {
  assert.deepEqual(importOf({ data: { conversion: { status: "failed", message: "the PDF is damaged." } } }),
    { status: "failed", reason: "the PDF is damaged" });
  assert.equal(importOf({ data: {} }), null);
});
