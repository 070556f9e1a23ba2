import assert from "node:assert/strict";
import { test } from "node:test";
import { readGlb, UnreadableShape } from "./glb";
import { packed } from "./glb-join";
import { readShape } from "./shape";
import { cube, glbOf, MILLIMETRES } from "./testing";

/** An assembly of two bolts, one of them with a node of its own below, and a plate. */
const ASSEMBLY = glbOf([cube(10), cube(20)], [{ name: "rig", extras: { object: 0 }, children: [
  { name: "M3x8.1 bolt", mesh: 0, extras: { object: 1 } },
  { name: "M3x8.1 bolt", translation: [100, 0, 0], extras: { object: 2 }, children: [{ name: "=>[0:1]", mesh: 0 }] },
  { name: "plate", mesh: 1, translation: [0, 0, 50], extras: { object: 3 } },
] }]);

const refuses = (run: () => unknown) => {
  try {
    run();
    return false;
  } catch (error) {
    return error instanceof UnreadableShape;
  }
};
const near = (values: ArrayLike<number>, digits = 4) => Array.from(values, (value) => Number(value.toFixed(digits)));

test("occurrences share their mesh's geometry, and each belongs to an object", () => {
  const { faces, edges } = readShape(ASSEMBLY, 4);
  assert.deepEqual(faces.map(({ objects }) => [...objects].sort()), [[3], [3], [1, 2], [1, 2]]);
  assert.deepEqual(edges.map(({ indices }) => indices.length), [24, 24]);
  assert.deepEqual(faces.map(({ color }) => color), [null, [0.8, 0.1, 0.1, 1], null, [0.8, 0.1, 0.1, 1]]);
});

test("a shape is drawn around the origin with a radius of 1, and keeps its own axes and lengths", () => {
  const { facts, boxes } = readShape(ASSEMBLY, 4);
  // From -10 to 105 mm, from -10 to 10 mm, and from -5 to 60 mm.
  const [x, y, z] = facts.extents;
  assert.equal(facts.metres.toFixed(5), (Math.hypot(115, 20, 65) / 2000).toFixed(5));
  assert.deepEqual(near([x?.origin ?? 0, y?.origin ?? 0, z?.origin ?? 0]), [0.0475, 0, 0.0275]);
  assert.deepEqual(near([x, y, z].map((one) => (one?.half ?? 0) * facts.metres)), [0.0575, 0.01, 0.0325]);
  assert.deepEqual(facts.axes.map((axis) => near(axis)), [[1, 0, 0], [0, 0, -1], [0, 1, 0]]);
  const all = [1, 2, 3].map((object) => Array.from(boxes.slice(object * 6, object * 6 + 6)));
  assert.deepEqual(near([0, 1, 2].map((side) => Math.max(...all.map((box) => box[side + 3] ?? 0)) ** 2)
    .reduce((sum, square) => [(sum[0] ?? 0) + square], [0])), [1]);
});

test("objects that don't exist, and nodes without one, belong to the object around them", () => {
  const file = glbOf([cube(1)], [{ mesh: 0, extras: { object: 7 } }, { mesh: 0, translation: [5, 0, 0] },
    { extras: { object: 0 }, children: [{ mesh: 0, translation: [9, 0, 0], extras: { object: "1" } }] }]);
  assert.deepEqual([...readShape(file, 1).faces[0]?.objects ?? []].sort(), [0, 1, 1]);
});

test("a damaged file is refused, and nothing of it is read", () => {
  const whole = new Uint8Array(ASSEMBLY);
  assert.ok(refuses(() => readGlb(new ArrayBuffer(3))));
  assert.ok(refuses(() => readGlb(whole.slice(0, whole.length - 9).buffer)));
  const { json } = readGlb(ASSEMBLY);
  const bytes = [new ArrayBuffer(64)];
  assert.ok(refuses(() => readShape(packed(json, bytes), 4)));
  const circle = { scenes: [{ nodes: [0] }], nodes: [{ children: [1] }, { children: [0] }] };
  assert.ok(refuses(() => readShape(packed(circle, bytes), 1)));
  assert.ok(refuses(() => readShape(glbOf([[{ positions: [0, 0, 0, 1, 0, 0, 0, 1, 0], indices: [0, 1, 3] }]],
    [{ mesh: 0 }]), 1)));
  assert.ok(refuses(() => readShape(glbOf([], [], MILLIMETRES), 0)));
});
