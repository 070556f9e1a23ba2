import assert from "node:assert/strict";
import { test } from "node:test";
import { canUndo, record, undo } from "./undo";

test("the last step is undone first, and one that was refused is forgotten", async () => {
  const undone: string[] = [];
  const step = (name: string) => record({ name, undo: () => void undone.push(name) });
  step("one");
  const forget = step("two");
  step("three");
  forget();
  await undo();
  await undo();
  assert.deepEqual(undone, ["three", "one"]);
  assert.equal(canUndo(), false);
});
