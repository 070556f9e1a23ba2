import assert from "node:assert/strict";
import { test } from "node:test";
import { mayWriteSome } from "./card-writers";

test("members except viewers write the cards of a project, and asking ends with the first such project", async () => {
  const asked: string[] = [];
  const read = async (project: string) => {
    asked.push(project);
    if (project === "hidden") throw new Error("403");
    return [{ userId: "ada", role: project === "read" ? "viewer" : "editor" }, { userId: "bob", role: "manager" }];
  };
  const may = (...ids: string[]) => mayWriteSome(ids.map((id) => ({ id })), "ada", read);
  assert.ok(!(await may()) && !(await may("hidden", "read")));
  assert.ok(await may("read", "own", "other"));
  assert.deepEqual(asked, ["hidden", "read", "read", "own"]);
});
