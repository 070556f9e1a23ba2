import assert from "node:assert/strict";
import { test } from "node:test";
import { prettyJson, prettyText } from "./json";

test("short lists stand in one line, nested values in lines of their own", () => {
  assert.equal(prettyJson({ at: [1, 2, 3], in: { a: [] } }), '{\n  "at": [1, 2, 3],\n  "in": {\n    "a": []\n  }\n}');
});

test("a text that is no JSON, or a plain value, stays as it is", () => {
  assert.equal(prettyText("{ oil"), "{ oil");
  assert.equal(prettyText("42"), "42");
  assert.equal(prettyText('{"a":1}'), '{\n  "a": 1\n}');
});
