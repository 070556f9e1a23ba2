import assert from "node:assert/strict";
import { test } from "node:test";
import type { CardAttachment } from "../../api/planning/attachments";
import { referenceTo, withReferences } from "./file-references";

const file = (id: string, name: string, mimeType: string) => ({ id, name, mimeType }) as CardAttachment;
const picture = file("1", "ring.png", "image/png");

test("a picture is shown, and another file is a link, with any name", () => {
  assert.equal(referenceTo(picture), "![ring.png](attachment:1)");
  assert.equal(referenceTo(file("2", "run-out.csv", "text/csv")), "[run-out.csv](attachment:2)");
  assert.equal(referenceTo(file("3", "a]b_c*.png", "image/png")), "![a\\]b\\_c\\*.png](attachment:3)");
});

test("references stand at the caret, apart from the words around", () => {
  const at = (said: string, caret: number) => withReferences(said, caret, [picture]);
  assert.deepEqual(at("", 0), { said: "![ring.png](attachment:1) ", caret: 26 });
  assert.deepEqual(at("See.", 3), { said: "See ![ring.png](attachment:1) .", caret: 30 });
  assert.deepEqual(at("See\nhere", 3).said, "See ![ring.png](attachment:1)\nhere");
  assert.equal(withReferences("", 0, [picture, picture]).said.trim().split(" ").length, 2);
});
