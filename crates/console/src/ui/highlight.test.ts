import assert from "node:assert/strict";
import { test } from "node:test";
import { languageOf } from "./code-languages";
import { highlight } from "./highlight";

test("a language is known by its name, its extension, and other names", () => {
  assert.equal(languageOf(".py"), "python");
  assert.equal(languageOf("C++"), "c");
  assert.equal(languageOf("toString"), "");
  assert.equal(languageOf("md"), "");
});

test("lines are pieces with the kinds of their language", async () => {
  const lines = await highlight("# A gear\ndef teeth():\n    return 24", "python");
  assert.equal(lines.length, 3);
  assert.deepEqual(lines[0], [{ text: "# A gear", kind: "t-comment" }]);
  assert.equal(lines[1]?.[0]?.kind, "t-keyword");
  assert.equal(lines[2]?.map(({ text }) => text).join(""), "    return 24");
  assert.equal(lines[2]?.at(-1)?.kind, "t-number");
});

test("a language of tokens alone is highlighted, too", async () => {
  const [line] = await highlight("if true; then echo 'gear'; fi", "shell");
  assert.equal(line?.[0]?.kind, "t-keyword");
});

test("a text without a language stays as it is", async () => {
  assert.deepEqual(await highlight("a\n\nb", ""), [
    [{ text: "a", kind: "" }], [{ text: "", kind: "" }], [{ text: "b", kind: "" }]]);
});
