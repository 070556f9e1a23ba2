import assert from "node:assert/strict";
import { test } from "node:test";
import { measureRows, sized } from "./measures";

const local = (value: number) => value.toLocaleString(undefined, { maximumSignificantDigits: 6 });

test("areas and volumes have a unit that suits their size", () => {
  assert.equal(sized(502.6548, "mm", "volume"), `${local(502.655)} mm³`);
  assert.equal(sized(47_120, "mm", "volume"), `${local(47.12)} cm³`);
  assert.equal(sized(2.5e9, "mm", "volume"), `${local(2.5)} m³`);
  assert.equal(sized(999, "mm", "area"), `${local(999)} mm²`);
  assert.equal(sized(141_079.3, "mm", "area"), `${local(1410.79)} cm²`);
  assert.equal(sized(0.5, "m", "area"), `${local(5000)} cm²`);
  assert.equal(sized(12.5, "in", "volume"), `${local(12.5)} in³`);
  assert.equal(sized(12.5, "", "volume"), local(12.5));
});

test("the measures that are known have rows, and no others", () => {
  const rows = (measures: Parameters<typeof measureRows>[0], unit: string) =>
    measureRows(measures, unit).map(({ name, value }) => `${name}: ${value}`);
  assert.deepEqual(rows({ box: { min: [0, 0, -1], max: [8, 8, 9] }, area: 351.858, volume: 502.655, centre: [4, 4, 4] },
    "mm"), ["Size: 8 × 8 × 10 mm", `Surface area: ${local(351.858)} mm²`, `Volume: ${local(502.655)} mm³`,
    "Centre of volume: X 4 · Y 4 · Z 4 mm"]);
  assert.deepEqual(rows({ box: { min: [0, 0, 0], max: [1, 2, 3] } }, ""), ["Size: 1 × 2 × 3"]);
  assert.deepEqual(rows({}, "mm"), []);
});
