import assert from "node:assert/strict";
import { test } from "node:test";
import { placementRows } from "./placement";

const UNITS = { length: { name: "millimetre", metres: 0.001 } };
const said = (placement: unknown, units: unknown = UNITS) =>
  placementRows({ placement, units }).map(({ name, value }) => `${name}: ${value}`);
const placed = (rows: number[][], [x, y, z]: number[] = [0, 0, 0]) =>
  [[...rows[0] ?? [], x ?? 0], [...rows[1] ?? [], y ?? 0], [...rows[2] ?? [], z ?? 0], [0, 0, 0, 1]];
/** Rotation by an angle in degrees about an axis of length 1. */
function turned([x, y, z]: [number, number, number], degrees: number): number[][] {
  const [c, s] = [Math.cos(degrees * Math.PI / 180), Math.sin(degrees * Math.PI / 180)];
  const t = 1 - c;
  return [[t * x * x + c, t * x * y - s * z, t * x * z + s * y], [t * x * y + s * z, t * y * y + c, t * y * z - s * x],
    [t * x * z - s * y, t * y * z + s * x, t * z * z + c]];
}
const THIRD = 1 / Math.sqrt(3);

test("a part that is moved alone is not rotated", () => {
  assert.deepEqual(said(placed(turned([1, 0, 0], 0), [10, -0.5, 1e-14])),
    ["Position: X 10 · Y -0.5 · Z 0 mm", "Rotation: none"]);
});

test("a rotation about an axis of the assembly names it, with its sign", () => {
  assert.equal(said(placed(turned([0, 0, 1], 90)))[1], "Rotation: 90° about Z");
  assert.equal(said(placed(turned([0, 1, 0], -30.126)))[1], "Rotation: -30.13° about Y");
  assert.equal(said(placed(turned([0, 1, 0], 180)))[1], "Rotation: 180° about Y");
});

test("another axis is written by its direction, also of half a turn", () => {
  assert.equal(said(placed(turned([THIRD, THIRD, THIRD], 120)))[1], "Rotation: 120° about (0.577; 0.577; 0.577)");
  assert.equal(said(placed(turned([0, -Math.SQRT1_2, Math.SQRT1_2], 180)))[1],
    "Rotation: 180° about (0; 0.707; -0.707)");
});

test("mirrored, scaled and skewed placements are told as they are", () => {
  assert.equal(said(placed([[1, 0, 0], [0, -1, 0], [0, 0, 1]]))[1], "Rotation: mirrored");
  const inches = turned([0, 0, 1], 90).map((row) => row.map((one) => one * 25.4));
  assert.deepEqual(said(placed(inches, [25.4, 0, 0])),
    ["Position: X 25.4 · Y 0 · Z 0", "Rotation: 90° about Z", "Scale: 25.4"]);
  assert.deepEqual(said(placed([[1, 0.5, 0], [0, 1, 0], [0, 0, 1]])), ["Position: X 0 · Y 0 · Z 0 mm"]);
});

test("what is no placement has no rows", () => {
  for (const wrong of [undefined, [], [[1, 0], [0, 1]], "matrix", placed([[NaN, 0, 0], [0, 1, 0], [0, 0, 1]])]) {
    assert.deepEqual(said(wrong), []);
  }
  assert.equal(said(placed([[0, 0, 0], [0, 0, 0], [0, 0, 0]])).length > 0, true);
  assert.equal(said(placed(turned([1, 0, 0], 0)), undefined)[0], "Position: X 0 · Y 0 · Z 0 mm");
  assert.equal(said(placed(turned([1, 0, 0], 0)), null)[0], "Position: X 0 · Y 0 · Z 0");
});
