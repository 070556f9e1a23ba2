import assert from "node:assert/strict";
import { test } from "node:test";
import { linkOf, PictureOnCard, type PictureApi } from "./picture-on-card";

const PATH = { projectId: "p", cardId: "c" };
const NOW = new Date(2026, 10, 9, 8, 7, 6);
const TAKEN = { blob: new Blob(["x"], { type: "image/png" }), name: "Rig/left [2]",
  address: "https://atelier.example/projects/p/files?view=rig_top" };

function made(comment?: PictureApi["comment"]) {
  const asked: string[][] = [];
  const picture = new PictureOnCard(TAKEN, NOW, {
    attach: async ({ cardId }, file, { key }) => {
      asked.push(["attach", cardId, file.name, file.type, key]);
      return {} as Awaited<ReturnType<PictureApi["attach"]>>;
    },
    comment: comment ?? (async ({ cardId }, body, key) => void asked.push(["comment", cardId, body, key])),
  });
  return { asked, picture };
}

test("a picture is attached under the name of what it shows, and a comment leads to the view", async () => {
  const { asked, picture } = made();
  await picture.put(PATH);
  assert.deepEqual(asked.map((one) => one.slice(0, -1)), [
    ["attach", "c", "Rig-left [2] 2026-11-09 08.07.06.png", "image/png"],
    ["comment", "c", "[3D view of Rig/left \\[2\\]](https://atelier.example/projects/p/files?view=rig_top)"],
  ]);
});

test("a repeat for one card has the keys of the first try, and another card its own", async () => {
  const { asked, picture } = made(async () => { throw new Error("away"); });
  await assert.rejects(picture.put(PATH), /away/);
  await assert.rejects(picture.put(PATH), /away/);
  await assert.rejects(picture.put({ ...PATH, cardId: "d" }), /away/);
  const [first, again, other] = asked.map((one) => one.at(-1));
  assert.equal(first, again);
  assert.ok(first !== other);
});

test("a name can't end its link, and an address can't either", () => {
  assert.equal(linkOf("a](b) `c`", "https://x/?q=(1)"), "[a\\](b) \\`c\\`](https://x/?q=%281%29)");
});
