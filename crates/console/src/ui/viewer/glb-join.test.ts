import assert from "node:assert/strict";
import { test } from "node:test";
import { readGlb } from "./glb";
import { joined, partsIn } from "./glb-join";
import { readShape } from "./shape";
import { cube, glbOf } from "./testing";

/** A rig with a plate, and with a bolt that stands at this place along X. */
const rig = (x: number, size = 10) => glbOf([cube(size), cube(20)], [{ name: "rig", extras: { object: 0 }, children: [
  { name: "plate", mesh: 1, extras: { object: 1 } },
  { children: [{ name: "bolt", mesh: 0, translation: [x, 0, 0], extras: { object: 2 } }] },
] }]);

const objectsOf = (bytes: ArrayBuffer, count: number) =>
  [...new Set(readShape(bytes, count).faces.flatMap(({ objects }) => [...objects]))].sort();
const middleOf = (boxes: Float64Array, object: number) =>
  ((boxes[object * 6] ?? 0) + (boxes[object * 6 + 3] ?? 0)) / 2;

test("objects are in the ones that their nodes are in, and have the names of the nodes", () => {
  assert.deepEqual(partsIn(rig(50), 3), { parents: [-1, 0, 0], names: ["rig", "plate", "bolt"] });
  assert.deepEqual(partsIn(rig(50), 2), { parents: [-1, 0], names: ["rig", "plate"] });
});

test("of the old version the kept parts stand beside the new one, where they were", () => {
  const both = joined(rig(50), rig(20, 6), { heads: 3, bases: 3, isKept: [0, 0, 1] });
  assert.deepEqual(objectsOf(both, 6), [1, 2, 5]);
  const { boxes, facts } = readShape(both, 6);
  const away = (middleOf(boxes, 2) - middleOf(boxes, 5)) * facts.metres * 1000;
  assert.equal(away.toFixed(3), "30.000");
  // The old bolt was smaller, and has its own corners.
  const width = (object: number) => ((boxes[object * 6 + 3] ?? 0) - (boxes[object * 6] ?? 0)) * facts.metres * 1000;
  assert.deepEqual([width(2), width(5)].map((one) => one.toFixed(3)), ["10.000", "6.000"]);
});

test("nothing that is kept leaves the new version as it is", () => {
  const both = joined(rig(50), rig(20), { heads: 3, bases: 3, isKept: [0, 0, 0] });
  assert.deepEqual(objectsOf(both, 6), [1, 2]);
  assert.deepEqual(readShape(both, 6).facts, readShape(rig(50), 3).facts);
});

test("a number that the new version doesn't have is never one of the old version", () => {
  const strange = glbOf([cube(10)], [{ mesh: 0, extras: { object: 4 } }]);
  assert.deepEqual(objectsOf(joined(strange, rig(20), { heads: 3, bases: 3, isKept: [0, 0, 1] }), 6), [5, 6]);
});

test("bytes of a length that is no multiple of four keep the other file's numbers aligned", () => {
  const file = rig(50);
  const { json, from, length } = readGlb(file);
  assert.ok(length % 4 === 0 && from > 0 && (json.nodes?.length ?? 0) > 0);
  const both = joined(file, rig(20), { heads: 3, bases: 3, isKept: [0, 1, 1] });
  assert.ok((readGlb(both).json.bufferViews ?? []).every(({ byteOffset = 0 }) => byteOffset % 4 === 0));
});
