import assert from "node:assert/strict";
import { test } from "node:test";
import { aspectWords } from "./aspect-words";

test("aspects are said in their order, and a move by its way", () => {
  assert.equal(aspectWords({ aspects: ["shape", "renamed"] }), "shape changed, renamed");
  const moved = (distance: number, turnDegrees?: number) => aspectWords({ aspects: ["moved"],
    displacement: { shift: [distance, 0, 0], distance, unit: "millimetre", ...(turnDegrees === undefined ? {}
      : { turnDegrees }) } });
  assert.equal(moved(15, 0), "moved by 15 mm");
  assert.equal(moved(0, 90), "turned by 90°");
  assert.equal(moved(1.5, 12.25), "moved by 1.5 mm and turned by 12.25°");
  // It is mirrored.
  assert.equal(moved(0), "moved");
  assert.equal(aspectWords({ aspects: ["moved"] }), "moved");
  assert.equal(aspectWords({}), "");
});
