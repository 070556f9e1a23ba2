import assert from "node:assert/strict";
import { test } from "node:test";
import { markedParts } from "./excerpt";

test("found words are parts of their own, counted in code points", () => {
  const parts = (excerpt: string, ranges: [number, number][]) =>
    markedParts({ excerpt, ranges }).map(({ text, isFound }) => (isFound ? `[${text}]` : text)).join("|");
  assert.equal(parts("…a 🔧 gear box", [[5, 9], [10, 13]]), "…a 🔧 |[gear]| |[box]");
  assert.equal(parts("gear", [[0, 4]]), "[gear]");
  assert.equal(parts("none", []), "none");
});
