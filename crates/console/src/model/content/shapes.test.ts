import assert from "node:assert/strict";
import { test } from "node:test";
import type { TreeNode } from "../../api/content/objects";
import { ownsPicture, ownsShape, picturedOf } from "./shape-kinds";
import { partsOf, shapeFacts, shapesOf } from "./shapes";

const file = (extension: string, size = 9) => ({ extension, size, sha256: `of${extension}`, mimeType: "" });
const node = (id: string, parent: string, type: string, extension?: string): TreeNode => ({ id, parent, type, name: id,
  childrenCount: 0, ...(extension ? { file: file(extension) as NonNullable<TreeNode["file"]> } : {}) });

test("a shape is told by the type of an object and the extension of its file", () => {
  for (const extension of [".step", ".STP", ".stl", ".obj", ".gltf", ".glb", ".3mf", ".ply"]) {
    assert.ok(ownsShape(node("a", "p", "Part", extension)), extension);
  }
  assert.ok(ownsShape(node("a", "p", "File", ".stl")));
  // A design that was not imported is a file without parts.
  assert.ok(!ownsShape(node("a", "p", "File", ".stp")));
  assert.ok(!ownsShape(node("a", "p", "Document", ".step")));
  assert.ok(!ownsShape(node("a", "p", "File", ".pdf")));
  assert.ok(!ownsShape(node("a", "p", "Part")));
  assert.ok(!ownsShape({ type: "File", file: file(".stl", 0) as NonNullable<TreeNode["file"]> }));
});

test("a picture is that of a file, or of a part that tells its own shape", () => {
  assert.deepEqual(picturedOf("p", node("a", "p", "File", ".stl")), { place: "p", id: "a", sha256: "of.stl" });
  assert.deepEqual(picturedOf("p", { ...node("a", "p", "Part"), data: { definition: { geometry: "e0" } } }),
    { place: "p", id: "a", geometry: "e0" });
  assert.equal(picturedOf("p", node("a", "p", "Assembly")), undefined);
  assert.equal(picturedOf("p", { ...node("a", "p", "Code"), data: { definition: { geometry: "e0" } } }), undefined);
});

test("documents, pages, images, text and code have pictures and no shape", () => {
  const flat = (type: string, mimeType: string, size = 9) =>
    ({ type, file: { ...file(".x", size), mimeType } as NonNullable<TreeNode["file"]> });
  for (const one of [flat("Document", "application/pdf"), flat("Page", "image/png"), flat("File", "image/tiff"),
    flat("File", "text/plain"), flat("File", "application/ld+json"), flat("Code", "application/octet-stream")]) {
    assert.ok(ownsPicture(one) && !ownsShape(one), one.file.mimeType);
  }
  assert.ok(!ownsPicture(flat("File", "image/svg+xml")) && !ownsPicture(flat("File", "application/zip")));
  assert.ok(!ownsPicture(flat("File", "text/plain", 0)));
});

test("parts inside of a file have its shape, and nothing else has", () => {
  const shapes = shapesOf([node("bolt", "plate", "Part"), node("folder", "p", "Folder"),
    node("rig", "folder", "Assembly", ".stp"), node("plate", "rig", "Assembly"), node("note", "rig", "File", ".txt"),
    node("code", "plate", "Code"), node("loose", "folder", "Part"), node("mesh", "rig", "Part", ".stl")]);
  assert.deepEqual([...shapes].map(([id, { owner }]) => `${id} ${owner}`).sort(),
    ["bolt rig", "mesh mesh", "plate rig", "rig rig"]);
  assert.equal(shapes.get("bolt")?.sha256, "of.stp");
});

test("parents in a ring have no shape", () => {
  assert.equal(shapesOf([node("a", "b", "Part"), node("b", "a", "Part")]).size, 0);
});

test("the objects of a shape have the numbers of its file, deleted ones no id", () => {
  const nodes = new Map([node("rig", "p", "Assembly"), node("bolt", "rig", "Part")].map((one) =>
    [one.id as string, one]));
  assert.deepEqual(partsOf({ objects: ["rig", null, "bolt"] }, nodes),
    { ids: ["rig", "", "bolt"], parents: [-1, -1, 0], names: ["rig", "", "bolt"] });
});

test("the facts of a shape are one line", () => {
  const shape = { sizeBytes: 1, unit: "mm", triangles: 1234, objects: [],
    box: { min: [0, -5, 0], max: [60, 5.5, 20] } };
  assert.equal(shapeFacts(shape), `60 × 10.5 × 20 mm · ${(1234).toLocaleString()} triangles`);
  assert.equal(shapeFacts({ ...shape, triangles: 0, faces: { shown: 12, all: 53 } }),
    "60 × 10.5 × 20 mm · approximate: 12 of 53 faces");
  assert.equal(shapeFacts({ ...shape, triangles: 1, faces: { shown: 53, all: 53 }, box: { min: [], max: [NaN] } }),
    "1 triangle");
  const { unit: _, ...bare } = shape;
  assert.equal(shapeFacts({ ...bare, triangles: 0 }), "60 × 10.5 × 20");
});
