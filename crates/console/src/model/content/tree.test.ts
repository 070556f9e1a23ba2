import assert from "node:assert/strict";
import { test } from "node:test";
import type { TreeNode, UncommittedChanges } from "../../api/content/objects";
import { Tree, changedBelow, holds, otherUses, productOf, usesIn } from "./tree";
import { inTreeOrder, sortedTree } from "./tree-order";

const node = (id: string, parent: string, type = "File", name = id): TreeNode =>
  ({ id, parent, type, name, childrenCount: 0 });
const file = (id: string, parent: string): TreeNode => ({ ...node(id, parent),
  file: { sha256: "0", size: 1, mimeType: "text/plain" } });
const nodes = [
  node("wheels", "root", "Folder"), file("f13", "wheels"), file("f5", "wheels"), node("spur", "wheels", "Folder"),
  file("note", "spur"), node("gear", "wheels", "Assembly"), node("b", "gear", "Part"), node("a", "gear", "Part"),
];

function tree(): Tree {
  const made = new Tree("root");
  made.nodes.value = nodes;
  return made;
}
const shown = (made: Tree) => made.rows.value.map(({ node: { id }, level }) => `${level}${id}`).join(" ");

test("folders come first, then files as people count; parts keep their order", () => {
  const made = tree();
  for (const id of ["wheels", "gear"]) made.fold(id, true);
  assert.equal(shown(made), "1wheels 2spur 2f5 2f13 2gear 3b 3a");
});

test("selecting an object unfolds all above it", () => {
  const made = tree();
  made.select("note");
  assert.equal(shown(made), "1wheels 2spur 3note 2f5 2f13 2gear");
  assert.deepEqual(made.above("note").map(({ id }) => id), ["wheels", "spur"]);
});

test("files go into the folder, never into a part", () => {
  const made = tree();
  assert.equal(made.folderOf("a"), "wheels");
  assert.equal(made.folderOf("spur"), "spur");
  assert.equal(made.folderOf(null), "root");
  assert.equal(made.holderOf("a"), "a");
  assert.equal(made.holderOf("note"), "spur");
});

test("an assembly with a file holds others, other files do not", () => {
  assert.equal(holds({ ...file("x", "root"), type: "Assembly" }), true);
  assert.equal(holds(file("x", "root")), false);
});

test("an object is below itself and all above it", () => {
  const made = tree();
  assert.ok(made.isBelow("note", "wheels") && made.isBelow("note", "note") && !made.isBelow("wheels", "note"));
});

test("changes are counted at any depth, deletions directly below", () => {
  const changes: UncommittedChanges = { added: ["note"], modified: ["f5"], deleted: ["x"], hasChanges: true,
    committedHash: "", totalObjectChanges: 3,
    deletedObjects: [{ objectId: "x", parentId: "spur", name: "x", type: "File" }] };
  const { all, deleted } = changedBelow(nodes, changes);
  assert.equal(all.get("wheels"), 3);
  assert.equal(all.get("spur"), 2);
  assert.equal(deleted.get("spur"), 1);
  assert.equal(deleted.get("wheels"), undefined);
});

test("a tree of parents in a circle ends", () => {
  const made = new Tree("root");
  made.nodes.value = [node("a", "b"), node("b", "a")];
  made.select("a");
  assert.equal(made.rows.value.length, 0);
});

test("changed objects are in the tree's order, with the names above them", () => {
  const changed = ["note", "gear", "gone"].map((id) =>
    ({ objectId: id, parentId: id === "gone" ? "spur" : nodes.find((one) => one.id === id)?.parent ?? "",
      name: id, type: "File" }));
  const { entries, nameOf } = inTreeOrder(changed, nodes, { id: "root", name: "Top" });
  assert.deepEqual(entries.map(({ objectId, path }) => `${path} / ${objectId}`),
    ["wheels / spur / gone", "wheels / spur / note", "wheels / gear"]);
  assert.equal(nameOf("root"), "Top");
  assert.equal(sortedTree(nodes, "root").length, nodes.length);
});

test("an occurrence shows its product, unless it is called by it", () => {
  const made = tree();
  made.nodes.value = [{ ...node("left", "root", "Part"), product: "Wheel" }, node("right", "root", "Part")];
  assert.deepEqual(made.rows.value.map((row) => productOf(row.node)), ["Wheel", undefined]);
  // Renamed on the page, before the service answers.
  assert.equal(productOf({ name: "Wheel", product: "Wheel" }), undefined);
});

test("other uses are those of the product, or of the name without a number", () => {
  const part = (id: string, product?: string): TreeNode =>
    ({ ...node(id, "root", "Part"), ...(product ? { product } : {}) });
  const all = [part("left", "Wheel"), part("right", "Wheel"), part("Wheel"), part("nut_1"), part("nut_2"),
    file("f", "root")];
  const uses = (id: string) => otherUses(all.find((one) => one.id === id) as TreeNode, all).map((one) => one.id);
  assert.deepEqual([uses("left"), uses("nut_1"), uses("f")], [["right", "Wheel"], ["nut_2"], []]);
  assert.equal(usesIn(all[0] as TreeNode, all.slice(0, 2)), 2);
});
