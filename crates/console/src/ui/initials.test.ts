import assert from "node:assert/strict";
import { test } from "node:test";
import { HUES, hueOf, lettersOf } from "./initials";

test("letters are those of two words, in any script and without signs", () => {
  const said = ["Ada Lovelace", "ada", "  Grace  (Brewster) Hopper", "Дарья Ким", "\u{1F600} Zo\u00eb", "明 李", "...",
    ""];
  assert.deepEqual(said.map(lettersOf), ["AL", "A", "GB", "ДК", "Z", "明李", "?", "?"]);
});

test("ids that differ in their ends alone have hues of every number", () => {
  const ids = Array.from({ length: 400 }, (_, at) => `0197f3a0-1111-7000-8000-${String(at * 7919).padStart(12, "0")}`);
  const counts = Array.from({ length: HUES }, (_, hue) => ids.filter((id) => hueOf(id) === hue).length);
  assert.ok(counts.every((count) => count > 10), counts.join(" "));
  assert.equal(hueOf(ids[5] ?? ""), hueOf(ids[5] ?? ""));
});
