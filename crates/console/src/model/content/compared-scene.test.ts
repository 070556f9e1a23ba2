import assert from "node:assert/strict";
import { signal } from "@preact/signals";
import { test } from "node:test";
import type { ChangeAspect } from "../../api/content/versions";
import { comparedScene, shadesOf, type Tone } from "./compared-scene";
import { View3d } from "./view3d";
import type { PartTable } from "./view3d-tree";

/** Objects by their names, each with that of its parent. An empty name is an object that isn't in its side's tree. */
function side(...objects: (readonly [string, string])[]): PartTable {
  const ids = objects.map(([id]) => id);
  return { ids, names: ids, parents: objects.map(([, parent]) => ids.indexOf(parent)) };
}

const modified = (objectId: string, ...aspects: ChangeAspect[]) =>
  ({ objectId, change: "modified" as const, aspects });
const only = (objectId: string, change: "added" | "deleted") => ({ objectId, change });

/** A rig of a frame with two plates, and of a bolt. */
const RIG = side(["rig", "none"], ["frame", "rig"], ["left", "frame"], ["right", "frame"], ["bolt", "rig"]);
const HEADS = RIG.ids.length;

type Scene = ReturnType<typeof comparedScene>;
const tonesOf = ({ table, tones, hidden }: Scene) => Object.fromEntries(tones.flatMap((tone, at) =>
  (hidden[at] || tone === "same" ? [] : [[`${at < HEADS ? "" : "old "}${table.ids[at]}`, tone]])));

test("each part has the tone of its change, and what stays is a ghost", () => {
  const base = side(["rig", "none"], ["frame", "rig"], ["left", "frame"], ["gone", "frame"], ["bolt", "rig"]);
  const scene = comparedScene(base, RIG, [modified("rig", "content"), modified("left", "shape"), only("right", "added"),
    only("gone", "deleted"), modified("bolt", "moved")]);
  assert.deepEqual(tonesOf(scene), { rig: "changed", left: "changed", right: "added", bolt: "moved",
    "old rig": "changed", "old left": "changed", "old gone": "deleted", "old bolt": "moved" });
  // The frame is unchanged. Of what was, only deleted parts are solid.
  assert.deepEqual([...scene.ghost.slice(0, HEADS)], [0, 1, 0, 0, 0]);
  assert.deepEqual([...scene.ghost.slice(HEADS, -1)], [1, 1, 1, 0, 1]);
  assert.deepEqual([...scene.isKept], [1, 0, 1, 1, 1]);
  assert.deepEqual(scene.counts, { same: 0, added: 1, moved: 1, changed: 1, deleted: 1 });
  assert.deepEqual(scene.ways, [{ from: HEADS + 4, to: 4 }]);
});

test("what is in a moved assembly moves with it, on one way", () => {
  const scene = comparedScene(RIG, RIG, [modified("frame", "moved"), modified("right", "shape", "moved")]);
  assert.deepEqual(tonesOf(scene), { frame: "moved", left: "moved", right: "changed",
    "old frame": "moved", "old left": "moved", "old right": "changed" });
  assert.deepEqual(scene.ways, [{ from: HEADS + 1, to: 1 }, { from: HEADS + 3, to: 3 }]);
  assert.deepEqual(scene.counts, { same: 1, added: 0, moved: 1, changed: 1, deleted: 0 });
});

test("a file in another folder, rounding and an unknown object change nothing in space", () => {
  const scene = comparedScene(RIG, RIG,
    [modified("rig", "relocated"), modified("bolt"), modified("elsewhere", "moved")]);
  assert.deepEqual(tonesOf(scene), {});
  assert.deepEqual(scene.ways, []);
  assert.deepEqual([...scene.isKept], [0, 0, 0, 0, 0]);
});

test("another name or material is a change, and draws no old part", () => {
  const scene = comparedScene(RIG, RIG, [modified("bolt", "renamed"), modified("left", "properties")]);
  assert.deepEqual(tonesOf(scene), { bolt: "changed", left: "changed" });
  assert.deepEqual([...scene.isKept], [0, 0, 0, 0, 0]);
});

test("objects that somebody deleted from the tree aren't drawn, on either side", () => {
  const head = side(["rig", "none"], ["frame", "rig"], ["left", "frame"], ["", "frame"], ["bolt", "rig"]);
  const scene = comparedScene(RIG, head, [only("right", "deleted")]);
  assert.deepEqual(tonesOf(scene), { "old right": "deleted" });
  assert.equal(scene.hidden[3], 1);
  assert.deepEqual(scene.counts, { same: 2, added: 0, moved: 0, changed: 0, deleted: 1 });
});

test("old parts are in the present assembly, unless that has moved or is gone", () => {
  const base = side(["rig", "none"], ["frame", "rig"], ["left", "frame"], ["cage", "rig"], ["bar", "cage"],
    ["nut", "rig"]);
  const scene = comparedScene(base, RIG, [modified("frame", "moved"), only("cage", "deleted"), only("bar", "deleted"),
    only("nut", "deleted")]);
  assert.deepEqual(scene.table.parents.slice(HEADS), [0, 0, HEADS + 1, 0, HEADS + 3, 0]);
});

test("a design that one side alone has is added or deleted whole, also beyond the entries that are read", () => {
  const none = side();
  const added = comparedScene(none, RIG, [only("rig", "added"), modified("bolt", "moved")]);
  assert.deepEqual(tonesOf(added), { rig: "added", frame: "added", left: "added", right: "added", bolt: "added" });
  assert.deepEqual(added.counts, { same: 0, added: 3, moved: 0, changed: 0, deleted: 0 });
  assert.deepEqual([...added.ghost.slice(0, HEADS), ...added.hidden.slice(0, HEADS)].filter(Boolean), []);
  const deleted = comparedScene(RIG, none, [only("rig", "deleted")]);
  assert.deepEqual(deleted.table.ids, RIG.ids);
  assert.deepEqual([...new Set(deleted.tones)], ["deleted"]);
  assert.deepEqual(deleted.table.parents, RIG.parents);
  assert.deepEqual([...deleted.isKept], [1, 1, 1, 1, 1]);
  assert.deepEqual([...deleted.ghost.slice(0, HEADS), ...deleted.hidden.slice(0, HEADS)].filter(Boolean), []);
  assert.deepEqual(deleted.counts, { same: 0, added: 0, moved: 0, changed: 0, deleted: 3 });
  assert.deepEqual([added.ways, deleted.ways], [[], []]);
});

test("a filtered tone is hidden, with the old places of what moved", () => {
  const scene = comparedScene(RIG, RIG, [modified("bolt", "moved")]);
  const hidden = (...off: Tone[]) => [...shadesOf(scene, new Set(off)).hidden].flatMap((is, at) => (is ? [at] : []));
  assert.deepEqual(hidden(), [5, 6, 7, 8]);
  assert.deepEqual(hidden("moved"), [4, 5, 6, 7, 8, 9]);
  assert.deepEqual(hidden("same"), [0, 1, 2, 3, 5, 6, 7, 8, 10]);
  assert.deepEqual([...shadesOf(scene, new Set()).tone].slice(3, 6), [5, 2, 5]);
});

test("a view shows the scene beside what the person hides, and selects the present one of two", () => {
  const scene = comparedScene(RIG, RIG, [modified("bolt", "moved")]);
  const view = new View3d(scene.table, signal("bolt"));
  view.shades.value = shadesOf(scene, new Set());
  const { hidden, ghost, selected, tone } = view.states.value;
  assert.deepEqual([[...hidden].indexOf(0), ghost[0], ghost[4], tone?.[4]], [0, 1, 0, 2]);
  assert.deepEqual([...selected].flatMap((is, at) => (is ? [at] : [])), [4]);
  view.toggleHidden();
  assert.equal(view.states.value.hidden[4], 1);
  assert.equal(view.states.value.hidden[9], 0);
});
