import assert from "node:assert/strict";
import { test } from "node:test";
import type { ProjectObject, TreeNode } from "../../api/content/objects";
import type { ObjectChange } from "../../api/content/versions";
import type { Entry } from "./compared-entry";
import { Compared, countsOf, nested } from "./comparison";
import { differingFields, fieldName, readableFields, writtenField } from "./fields";

const change = (objectId: string, parentId: string, kind: ObjectChange["change"] = "added"): ObjectChange =>
  ({ objectId, parentId, change: kind, name: objectId, type: "Part", fields: [] });
const entry = (...of: Parameters<typeof change>): Entry =>
  ({ ...change(...of), path: "", fields: async () => [] });

test("what was added with its folder is below it, and counted at any depth", () => {
  const entries = [
    entry("bulk", "root"), entry("page", "bulk"), entry("line", "page"), entry("gear", "root", "modified")];
  const { below, inside } = nested(entries);
  assert.deepEqual(below.get("")?.map(({ objectId }) => objectId), ["bulk", "gear"]);
  assert.equal(inside.get("bulk"), 2);
  assert.equal(countsOf({ entries, isPart: false }), "3 added, 1 changed");
});

test("what was changed in an added folder stands for itself", () => {
  const { below } = nested([entry("bulk", "root"), entry("gear", "bulk", "modified")]);
  assert.deepEqual(below.get("")?.map(({ objectId }) => objectId), ["bulk", "gear"]);
});

test("a comparison is read until enough is known, and then on demand", async () => {
  const asked: (string | null)[] = [];
  const api = { compare: async (_: string, __: unknown, cursor: string | null) => {
    asked.push(cursor);
    const at = Number(cursor ?? 0);
    return { baseHash: "b", headHash: "h", next: at < 6 ? String(at + 1) : null,
      objects: Array.from({ length: 100 }, (_one, index) => change(`${at}-${index}`, "p")) };
  } };
  const compared = await Compared.open("p", { base: "a", head: "b" }, { places: ["p"], tree: async () => [], api });
  assert.equal(compared.comparison.value.entries.length, 500);
  assert.equal(compared.comparison.value.isPart, true);
  await compared.more();
  assert.equal(compared.comparison.value.entries.length, 700);
  assert.equal(compared.comparison.value.isPart, false);
  assert.equal(asked.length, 7);
  assert.equal(compared.baseHash, "b");
});

test("changed objects are in the order of both trees", async () => {
  const node = (id: string): TreeNode => ({ id, parent: "p", name: id, type: "Part", childrenCount: 0 });
  const api = { compare: async () => ({ baseHash: "b", headHash: "h", next: null,
    objects: [change("old", "p", "deleted"), change("new", "p")] }) };
  const compared = await Compared.open("p", { base: "a", head: "b" }, { api, places: ["head", "base"],
    tree: async (place) => [node(place === "head" ? "new" : "old")] });
  assert.deepEqual(compared.comparison.value.entries.map(({ objectId }) => objectId), ["new", "old"]);
});

test("an object alone is compared with what is in it, as the change has it", async () => {
  const node = (id: string, parent: string): TreeNode => ({ id, parent, name: id, type: "Part", childrenCount: 0 });
  const api = { compare: async () => ({ baseHash: "b", headHash: "h", next: null, objects: [change("gone", "frame",
    "deleted"), change("left", "frame", "modified"), change("left-out", "p"), change("rig", "p", "modified")] }) };
  const compared = await Compared.open("p", { base: "a", head: "b" }, { api, places: ["p"], object: "rig",
    tree: async () => [node("rig", "p"), node("frame", "rig"), node("left", "p")] });
  const { entries, object } = compared.comparison.value;
  assert.deepEqual(entries.map(({ objectId }) => objectId).sort(), ["gone", "left", "rig"]);
  assert.equal(object, "rig");
});

test("what differs of a file is known before its fields are shown", async () => {
  const field = { field: "/file", base: { sha256: "a" }, head: { sha256: "b" } };
  const api = { compare: async () => ({ baseHash: "b", headHash: "h", next: null,
    objects: [{ ...change("rig", "p", "modified"), aspects: ["content" as const], fields: [field] },
      { ...change("new", "p"), fields: [{ field: "/file", head: { sha256: "b" } }] }] }) };
  const compared = await Compared.open("p", { base: "a", head: "b" }, { api, places: ["p"], tree: async () => [] });
  const told = compared.comparison.value.entries.map(({ objectId, aspects, files }) => [objectId, aspects, files]);
  assert.deepEqual(told.sort(), [["new", undefined, undefined],
    ["rig", ["content"], { base: { sha256: "a" }, head: { sha256: "b" } }]]);
  const rig = compared.comparison.value.entries.find(({ objectId }) => objectId === "rig");
  assert.deepEqual(await rig?.fields(), [field]);
});

test("an entry is folded below those that were added with it", () => {
  const { above } = nested([entry("bulk", "root"), entry("page", "bulk"), entry("line", "page"),
    entry("gear", "bulk", "modified")]);
  assert.deepEqual(["line", "page", "gear", "elsewhere"].map((id) => above(id).join()), ["page,bulk", "bulk", "", ""]);
});

test("fields are named by their way, measures have their unit", () => {
  assert.equal(fieldName("/data/holes/count"), "holes › count");
  assert.equal(fieldName("/parent"), "Place");
  assert.equal(writtenField({ value: 3, unit: "millimetre³" }), "3 mm³");
  assert.equal(writtenField([1, 2]), "[\n 1,\n 2\n]");
});

test("two states of an object differ by field", () => {
  const object = (data: Record<string, unknown>): ProjectObject =>
    ({ id: "g", name: "Gear", parent: "p", type: "Part", data });
  const [before, after] = [20, 24].map((teeth) => object({ teeth, holes: { count: 3 } }));
  assert.deepEqual(differingFields(before ?? null, after ?? null), [{ field: "/data/teeth", base: 20, head: 24 }]);
  assert.equal(differingFields(null, object({})).length, 3);
});

test("a placement differs by position and rotation, and is shown as it is where it is not a matrix", () => {
  const at = (x: number, z: number) => [[1, 0, 0, x], [0, 1, 0, 0], [0, 0, 1, z], [0, 0, 0, 1]];
  const placement = (base: unknown, head: unknown) => [{ field: "/data/placement", base, head }];
  assert.deepEqual(readableFields(placement(at(1, 0), at(1, 3)), "millimetre"),
    [{ field: "Position", base: "X 1 · Y 0 · Z 0 mm", head: "X 1 · Y 0 · Z 3 mm" }]);
  assert.deepEqual(readableFields(placement("beside", "below")), placement("beside", "below"));
});
