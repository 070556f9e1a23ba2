import assert from "node:assert/strict";
import { test } from "node:test";
import { differences, nearChanges } from "./differences";

const shown = (before: string, after: string) =>
  differences(before, after).map(({ kind, text, old, now }) =>
    `${kind === "added" ? "+" : kind === "deleted" ? "-" : " "}${text} ${old} ${now}`);

test("lines are deleted, added, or stay, with their numbers in both texts", () => {
  assert.deepEqual(shown("a\nb\nc\n", "a\nx\nc\n"), [" a 1 1", "-b 2 2", "+x 3 2", " c 3 3"]);
});

test("equal texts have no changes, and an empty text is one empty line", () => {
  assert.deepEqual(shown("a", "a"), [" a 1 1"]);
  assert.deepEqual(shown("", "a"), ["- 1 1", "+a 2 1"]);
});

test("texts that differ too much follow one another", () => {
  const [before, after] = ["a", "b"].map((sign) => Array.from({ length: 2_000 }, (_, at) => `${sign}${at}`));
  const lines = differences((before ?? []).join("\n"), (after ?? []).join("\n"));
  assert.equal(lines.length, 4_000);
  assert.equal(lines[1_999]?.kind, "deleted");
  assert.equal(lines[2_000]?.kind, "added");
});

test("equal lines far from changes are a gap", () => {
  const before = Array.from({ length: 20 }, (_, at) => `${at}`).join("\n");
  const rows = nearChanges(differences(before, before.replace("10", "ten")), 2);
  assert.deepEqual(rows.map((row) => (row.kind === "gap" ? row.count : row.text)),
    [8, "8", "9", "10", "ten", "11", "12", 7]);
});
