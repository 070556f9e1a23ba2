import assert from "node:assert/strict";
import { test } from "node:test";
import { measureEdge } from "./edges";
import { HIDDEN, GHOST, PartData } from "./part-data";
import { normalOf, pick, type Cut } from "./pick";
import { readShape } from "./shape";
import { snap } from "./snap";
import { circle, cube, glbOf } from "./testing";
import type { Mark } from "./view";

/** Three cubes of 10 mm in a row, 20 mm apart; the last of a mesh of its own. */
const shape = readShape(glbOf([cube(10), cube(10)], [0, 1, 2].map((at) => ({ mesh: at === 2 ? 1 : 0,
  translation: [at * 20, 0, 0] as [number, number, number], extras: { object: at } }))), 3);
const unit = shape.facts.metres * 1000;
/** Objects by their states, and moved by millimetres along the row. */
function parts(states: number[] = [], moved = 0): PartData {
  const made = new PartData(3);
  const bits = (bit: number) => Uint8Array.from({ length: 4 }, (_, at) => ((states[at] ?? 0) & bit ? 1 : 0));
  made.write({ hidden: bits(HIDDEN), ghost: bits(GHOST), selected: bits(4) },
    Float32Array.from({ length: 12 }, (_, at) => (at === 6 ? moved / unit : 0)));
  return made;
}
/** A line of sight along the row from its end, or from above, through a place in millimetres of the file. */
const fromEnd = (y = 1, z = 2) => Float64Array.of(10, z / unit, -y / unit, -1, 0, 0);
const fromAbove = (x: number, y: number) => Float64Array.of((x - 20) / unit, 10, -y / unit, 0, -1, 0);
const objectAt = (ray: Float64Array, data = parts()) => pick(shape.faces, data, ray, null)?.object;

test("the nearest part is picked, hidden ones never, ghosts only where nothing else is", () => {
  assert.equal(objectAt(fromEnd()), 2);
  assert.equal(objectAt(fromEnd(6)), undefined);
  assert.equal(objectAt(fromEnd(), parts([0, 0, HIDDEN])), 1);
  assert.equal(objectAt(fromEnd(), parts([0, HIDDEN, GHOST])), 0);
  assert.equal(objectAt(fromEnd(), parts([HIDDEN, HIDDEN, GHOST])), 2);
});

test("a part is picked where it has moved to, and what is cut off is never picked", () => {
  assert.equal(objectAt(fromAbove(43, 0)), 2);
  assert.equal(objectAt(fromAbove(43, 0), parts([], 30)), undefined);
  assert.equal(objectAt(fromAbove(73, 0), parts([], 30)), 2);
  const cut: Cut = { normal: [1, 0, 0], distance: 0.01 / unit };
  const hit = pick(shape.faces, parts(), fromEnd(), cut);
  // The cut goes through the middle cube, whose near face is away; its far face is seen from within.
  assert.equal(hit?.object, 1);
  assert.deepEqual(hit && normalOf(hit, fromEnd()).map((value) => Math.round(value) + 0), [1, 0, 0]);
});

test("measuring takes the end of an edge before the edge, and the edge before the face", () => {
  const at = (x: number, y: number) => snap(shape, parts(), fromAbove(x, y), null, 1 / unit);
  const said = (mark: Mark | null) => [mark?.kind, mark?.object, mark?.length && (mark.length * unit).toFixed(3)];
  assert.deepEqual(said(at(24.8, 4.9)), ["point", 1, undefined]);
  assert.deepEqual(said(at(24.8, 1)), ["edge", 1, "10.000"]);
  assert.deepEqual(said(at(22, 1)), ["face", 1, undefined]);
  // An edge that is met from outside of the face counts, too.
  assert.deepEqual(said(at(25.5, 1)), ["edge", 1, "10.000"]);
  assert.deepEqual(said(at(28, 1)), [undefined, undefined, undefined]);
});

test("a mark stays at its part's own place when parts have moved", () => {
  const mark = snap(shape, parts([], 30), fromAbove(72, 1), null, 1 / unit);
  assert.deepEqual([mark?.object, Number(((mark?.at[0] ?? 0) * unit + 20).toFixed(3))], [2, 42]);
});

test("a file without edges has the corners of its triangles instead", () => {
  const [faces] = cube(10);
  const bare = readShape(glbOf([faces ? [faces] : []], [{ mesh: 0 }]), 0);
  const scale = bare.facts.metres * 1000;
  const at = (x: number, y: number) => snap(bare, new PartData(0),
    Float64Array.of(10, y / scale, -x / scale, -1, 0, 0), null, 1 / scale);
  assert.deepEqual([at(0, 0)?.kind, at(4.8, 4.8)?.kind, at(5.5, 0)?.kind], ["face", "point", undefined]);
  assert.deepEqual(at(4.8, 4.8)?.at.map((value) => Number((value * scale).toFixed(3))), [5, 5, -5]);
});

test("an edge on a circle has the length of its arc, not of its segments", () => {
  const round = readShape(glbOf([[circle(4, 24)]], [{ mesh: 0 }]), 0);
  const scale = round.facts.metres * 1000;
  const mark = snap(round, new PartData(0), Float64Array.of(4 / scale, 10, 0, 0, -1, 0), null, 0.5 / scale);
  assert.equal(mark?.kind, "edge");
  assert.equal(((mark?.diameter ?? 0) * scale).toFixed(4), "8.0000");
  assert.equal(((mark?.length ?? 0) * scale).toFixed(3), (8 * Math.PI).toFixed(3));
  assert.equal(mark?.line?.length, 25);
});

test("an edge that bends elsewise is as long as its segments", () => {
  const { length, direction, diameter } = measureEdge([[0, 0, 0], [1, 0, 0], [2, 0.2, 0], [3, 0.1, 0], [4, 0, 0.3],
    [5, 0, 0]]);
  assert.ok(length > 5 && length < 5.5 && direction === undefined && diameter === undefined);
});

test("a million triangles are picked through their boxes", () => {
  const side = 700;
  const heights = (x: number, y: number) => Math.sin(x / 20) * Math.cos(y / 20) * 8;
  const positions = Array.from({ length: side * side }, (_, at) =>
    [at % side, Math.floor(at / side), heights(at % side, Math.floor(at / side))]).flat();
  const indices = Array.from({ length: (side - 1) * (side - 1) }, (_, at) => {
    const corner = at % (side - 1) + Math.floor(at / (side - 1)) * side;
    return [corner, corner + 1, corner + side, corner + 1, corner + side + 1, corner + side];
  }).flat();
  const field = readShape(glbOf([[{ positions, indices }]], [{ mesh: 0, extras: { object: 0 } }]), 1);
  const scale = field.facts.metres * 1000;
  const middle = (side - 1) / 2;
  const ray = Float64Array.of((100.3 - middle) / scale, 10, -(200.6 - middle) / scale, 0, -1, 0);
  const hit = pick(field.faces, new PartData(1), ray, null);
  const z = (10 - (hit?.distance ?? 0)) * scale + (field.facts.extents[2]?.origin ?? 0) * 1000;
  assert.ok(Math.abs(z - heights(100.3, 200.6)) < 0.1, String(z));
});
