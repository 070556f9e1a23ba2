import assert from "node:assert/strict";
import { test } from "node:test";
import type { Made, Preview, PreviewsApi } from "../../api/content/previews";
import type { ComparedDesign } from "./compared-designs";
import { ComparedShape } from "./compared-shape";

const design = { owner: "rig", name: "Rig", base: { place: "p", commit: "old" }, head: { place: "p", commit: "new" } };
const READY: Preview = { sha256: "abc", status: "ready",
  shape: { sizeBytes: 8, unit: "mm", triangles: 2, objects: ["rig", null] } };

/** Both versions, of which the old one is told by `preview`. */
function opened(preview: () => Promise<Made<Preview> | null>, compared: ComparedDesign = design) {
  const asked: string[] = [];
  const apiAt = (commit: string): PreviewsApi => ({
    preview: commit === "old" ? preview : () => Promise.resolve({ value: READY }),
    glb: (_place, _owner, sha256) => {
      asked.push(`${commit} ${sha256}`);
      return Promise.resolve(new ArrayBuffer(8));
    },
    thumbnail: () => Promise.resolve({ value: null }),
  });
  return { asked, shape: new ComparedShape(compared, apiAt) };
}

test("both versions are read as their commits have them, by the hashes that they tell", async () => {
  const { asked, shape } = opened(() => Promise.resolve({ value: READY }));
  assert.equal(shape.shapes.value, null);
  await shape.open();
  assert.deepEqual(asked.sort(), ["new abc", "old abc"]);
  assert.deepEqual(shape.shapes.value?.map((one) => [one?.ids, one?.unit]), [[["rig", ""], "mm"], [["rig", ""], "mm"]]);
  assert.equal(shape.failure.value, null);
});

test("without one of the shapes there is no scene, and a reason if there is one", async () => {
  const told = async (preview: Preview | null) => {
    const { shape } = opened(() => Promise.resolve(preview && { value: preview }));
    await shape.open();
    return [shape.shapes.value, shape.failure.value];
  };
  assert.deepEqual(await told(null), [null, ""]);
  assert.deepEqual(await told({ status: "none" }), [null, ""]);
  assert.deepEqual(await told({ status: "failed", reason: "It is damaged." }), [null, "It is damaged."]);
});

test("of a design that one side alone has, the other side is neither asked for nor waited for", async () => {
  const told = async (compared: ComparedDesign) => {
    const { asked, shape } = opened(() => Promise.resolve({ value: READY }), compared);
    await shape.open();
    return [asked, shape.shapes.value?.map((one) => one?.ids ?? null), shape.failure.value];
  };
  assert.deepEqual(await told({ ...design, base: null }), [["new abc"], [null, ["rig", ""]], null]);
  assert.deepEqual(await told({ ...design, head: null }), [["old abc"], [["rig", ""], null], null]);
});
