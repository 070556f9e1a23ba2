import assert from "node:assert/strict";
import { test } from "node:test";
import type { InstancedBufferGeometry } from "three";
import { geometriesOf } from "./geometry";
import { readShape } from "./shape";
import { cube, glbOf, MILLIMETRES } from "./testing";

/** The corners that a geometry draws, as the shader places them: point, direction of the normal, object, colour. */
function cornersOf(geometry: InstancedBufferGeometry): string[] {
  const read = (name: string, corner: number, place: number) => {
    const attribute = geometry.getAttribute(name);
    const isOfPlace = "isInstancedBufferAttribute" in attribute || name.startsWith("row");
    const at = isOfPlace ? place : corner;
    return [0, 1, 2, 3].slice(0, attribute.itemSize).map((part) => attribute.getComponent(at, part));
  };
  const dot = (one: number[], other: number[]) => one.reduce((sum, value, at) => sum + value * (other[at] ?? 0), 0);
  const cross = ([a = 0, b = 0, c = 0]: number[], [x = 0, y = 0, z = 0]: number[]) =>
    [b * z - c * y, c * x - a * z, a * y - b * x];
  const places = Array.from({ length: geometry.instanceCount }, (_, place) => place);
  return places.flatMap((place) => Array.from(geometry.index?.array ?? [], (corner) => {
    const [one = [], two = [], three = []] = [0, 1, 2].map((row) => read(`row${row}`, corner, place));
    const own = read("normal", corner, place);
    const normal = [cross(two, three), cross(three, one), cross(one, two)].map((row) => dot(row, own));
    const length = Math.hypot(...normal);
    return [...[one, two, three].map((row) => dot(row, [...read("position", corner, place), 1])),
      ...normal.map((value) => value / length), ...read("object", corner, place), ...read("tint", corner, place)]
      .map((value) => (value + 0).toFixed(4).replace(/^-(0\.0*)$/, "$1")).join(" ");
  })).sort();
}

test("merged and instanced geometry draw the same", () => {
  // The second is mirrored and stretched.
  const file = glbOf([cube(10)], [{ mesh: 0, extras: { object: 0 } },
    { mesh: 0, translation: [30, 5, 0], scale: [-1, 2, 1], extras: { object: 1 } },
    { mesh: 0, translation: [0, 30, 0], rotation: [0, 0, Math.SQRT1_2, Math.SQRT1_2], extras: { object: 2 } }]);
  const { faces } = readShape(file, 3);
  const [merged, instanced] = [geometriesOf(faces), geometriesOf(faces, -1)];
  assert.deepEqual([merged.length, instanced.length], [1, 2]);
  const corners = merged.flatMap(cornersOf);
  assert.equal(corners.length, 3 * 36);
  assert.deepEqual(corners, instanced.flatMap(cornersOf).sort());
});

test("what is repeated least is merged, up to a limit", () => {
  const file = glbOf([cube(1), cube(2), cube(3)].map((primitives) => primitives.slice(0, 1)),
    [0, 1, 1, 2, 2, 2].map((mesh, at) => ({ mesh, translation: [at * 9, 0, 0] })), MILLIMETRES);
  const counts = (most: number) => geometriesOf(readShape(file, 0).faces, most)
    .map(({ instanceCount, index }) => `${instanceCount} × ${index?.count}`);
  // 24 indices and 16 corners to a cube's first colour.
  assert.deepEqual(counts(1000), ["1 × 144"]);
  assert.deepEqual(counts(20), ["1 × 72", "3 × 24"]);
  assert.deepEqual(counts(0), ["1 × 24", "2 × 24", "3 × 24"]);
});
