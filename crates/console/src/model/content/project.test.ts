import assert from "node:assert/strict";
import { test } from "node:test";
import { placeOf, projectHref } from "./project";

const project = { id: "p", defaultBranch: "main" };

test("the default branch is the project itself", () => {
  assert.equal(placeOf(project, "main"), "p");
  assert.equal(placeOf(project, "feature/teeth"), "p--feature/teeth");
});

test("addresses name a branch that isn't the default one", () => {
  assert.equal(projectHref(project, "/changes", "main"), "/projects/p/changes");
  assert.equal(projectHref(project, "", "a/b", { object: "o" }), "/projects/p?object=o&branch=a%2Fb");
});
