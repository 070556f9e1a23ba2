import assert from "node:assert/strict";
import { test } from "node:test";
import { holdersOf, rootsOf } from "./bill-roots";

const node = (id: string, parent: string, type: string) => ({ id, parent, type, name: id });
const NODES = [node("model", "p", "Package"), node("gearbox", "model", "Assembly"), node("pair", "gearbox", "Assembly"),
  node("wheel", "pair", "Part"), node("docs", "p", "Folder"), node("note", "docs", "Code"), node("spare", "p", "Part")];

test("a bill may be of what holds parts at any depth, and not of parts themselves", () => {
  assert.deepEqual([...holdersOf(NODES)].sort(), ["gearbox", "model", "p", "pair"]);
});

test("assemblies inside others are chosen from their own page, and are listed once they are", () => {
  assert.deepEqual(rootsOf(NODES, null).map(({ id }) => id), ["model", "gearbox"]);
  assert.deepEqual(rootsOf(NODES, "pair").map(({ id }) => id), ["model", "gearbox", "pair"]);
});
