import assert from "node:assert/strict";
import { test } from "node:test";
import type { FileRef, TreeNode } from "../../api/content/objects";
import { designsOf } from "./compared-designs";
import type { Entry } from "./compared-entry";

const file = (extension: string, sha256 = "a") =>
  ({ sha256, size: 8, mimeType: "model/step", extension }) as FileRef;
const node = (id: string, parent: string, type: string, own?: FileRef): TreeNode =>
  ({ id, parent, type, name: id, childrenCount: 0, ...(own ? { file: own } : {}) });
const entry = (objectId: string, parentId: string, type: string, more: Partial<Entry> = {}): Entry =>
  ({ objectId, parentId, type, name: objectId, path: "", change: "modified", fields: async () => [], ...more });

/** A rig of a design, with a part that the tree still has. */
const TREE = [node("rig", "p", "Assembly", file(".step")), node("bolt", "rig", "Part"), node("note", "p", "File")];
const sides = { base: { place: "p", commit: "b" }, head: { place: "p", commit: "h" } };
const ownersOf = (entries: Entry[], tree = TREE) =>
  designsOf({ entries, nameOf: (id) => `name of ${id}`, ...sides }, tree).map(({ owner, name }) => `${owner}: ${name}`);

test("a design whose file differs is compared, and a mesh", () => {
  const files = (extension: string) => ({ files: { base: file(extension), head: file(extension, "b") } });
  assert.deepEqual(ownersOf([entry("rig", "p", "Assembly", files(".step")), entry("bolt", "rig", "Part"),
    entry("hook", "p", "File", files(".stl"))]), ["rig: name of rig", "hook: name of hook"]);
  assert.deepEqual(ownersOf([entry("text", "p", "Code", files(".py")), entry("sheet", "p", "Document", files(".pdf"))]),
    []);
});

test("a part that differs in a file that stays leads to its file, also one that the tree has no more", () => {
  assert.deepEqual(ownersOf([entry("bolt", "rig", "Part")]), ["rig: name of rig"]);
  assert.deepEqual(ownersOf([entry("nut", "rig", "Part", { change: "deleted" })]), ["rig: name of rig"]);
  // A part that a person made has no shape.
  assert.deepEqual(ownersOf([entry("own", "p", "Part"), entry("note", "p", "File")]), []);
});

test("a design that one side alone has is shown as that side has it, after those of both", () => {
  const sidesOf = (entries: Entry[], tree = TREE) => designsOf({ entries, nameOf: () => "", ...sides }, tree)
    .map(({ owner, base, head }) => [owner, base?.commit ?? null, head?.commit ?? null]);
  assert.deepEqual(sidesOf([entry("rig", "p", "Assembly", { change: "added", file: file(".step") }),
    entry("bolt", "rig", "Part", { change: "added" })]), [["rig", null, "h"]]);
  // The tree may not have a deleted design any more. Its parts lead to no other.
  assert.deepEqual(sidesOf([entry("cage", "p", "Assembly", { change: "deleted", file: file(".step") }),
    entry("bar", "cage", "Part", { change: "deleted" }), entry("bolt", "rig", "Part")]),
  [["rig", "b", "h"], ["cage", "b", null]]);
  assert.deepEqual(sidesOf([entry("sheet", "p", "Document", { change: "added", file: file(".pdf") })]), []);
});

test("without a version before there is nothing to compare with", () => {
  assert.deepEqual(designsOf({ entries: [entry("bolt", "rig", "Part")], nameOf: () => "", ...sides, base: null }, TREE),
    []);
});
