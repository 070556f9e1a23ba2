import assert from "node:assert/strict";
import { test } from "node:test";
import { ApiError } from "../../api/errors";
import type { Branch } from "../../api/content/projects";
import type { MergeReport, MergeWish } from "../../api/content/versions";
import { Branches, type BranchesApi } from "./branches";
import type { Compared } from "./comparison";
import { Merge, type MergeApi } from "./merge";
import type { OpenedProject } from "./project";
import { undo } from "../undo";

const branch = (name: string, commitHash: string, hasChanges = false): Branch =>
  ({ name, commitHash, hasChanges, isDefault: name === "main", createdAt: "2026-01-01T00:00:00Z" }) as Branch;
const report: MergeReport = { status: "merged", dryRun: true, commitHash: "new", previousHash: "head", baseHash: "b",
  sourceHash: "s" };
const conflict = () => new ApiError(409, { code: "MERGE_CONFLICT", message: "conflicts",
  details: { conflicts: [{ objectId: "g", field: "/name", kind: "field", ours: "a", theirs: "b" }] } });

function fake(answers: (MergeReport | Error)[]) {
  const wishes: MergeWish[] = [];
  let branches = [branch("main", "1", true), branch("teeth", "2")];
  const api: MergeApi = {
    merge: async (_, __, wish) => {
      wishes.push(wish);
      const next = answers.shift() ?? report;
      if (next instanceof Error) throw next;
      return next;
    },
    branches: async () => branches,
    compare: async () => ({ baseHash: "b" }) as Compared,
  };
  const opened = { project: { id: "p", defaultBranch: "main" }, branch: "main", branches } as unknown as OpenedProject;
  const merge = new Merge(opened, "teeth", "main", api);
  return { merge, wishes, move: () => { branches = [branch("main", "3"), branch("teeth", "2")]; } };
}

test("a merge is tried out first, and expects the same head", async () => {
  const { merge, wishes } = fake([]);
  await merge.tryOut();
  assert.equal(merge.outcome.value, "merged");
  assert.equal(await merge.send(), "new");
  assert.deepEqual(wishes, [{ source: "teeth", dryRun: true },
    { source: "teeth", resolutions: [], expectedHead: "head" }]);
});

test("conflicts are decided, and sent with the merge", async () => {
  const { merge, wishes } = fake([conflict()]);
  await merge.tryOut();
  merge.decision.value?.take(0, "theirs");
  assert.equal(await merge.send(), "new");
  assert.deepEqual(wishes.at(-1), { source: "teeth",
    resolutions: [{ objectId: "g", field: "/name", take: "theirs" }] });
});

test("uncommitted changes refuse a merge, and are told apart", async () => {
  const { merge } = fake([new ApiError(409, { code: "BRANCH_CONFLICT", message: "main has changes" })]);
  await merge.tryOut();
  assert.equal(merge.failure.value, "main has changes");
  assert.equal(merge.hasChanges.value, true);
  assert.equal(merge.incoming.value, null);
});

test("a branch that moved is tried out again, unless something was decided", async () => {
  const { merge, wishes, move } = fake([conflict(), conflict()]);
  await merge.tryOut();
  await merge.readAgain();
  assert.equal(wishes.length, 1);
  move();
  merge.decision.value?.take(0, "ours");
  await merge.readAgain();
  assert.equal(wishes.length, 1);
});

test("branches tell when their last commit was made, or when they were", async () => {
  const api = { list: async () => [branch("main", "1")], commit: async (_: string, hash: string) => {
    if (hash === "2") throw new Error("gone");
    return { createdAt: "2026-05-05T00:00:00Z" };
  } } as unknown as BranchesApi;
  const branches = new Branches("p", [branch("main", "1"), branch("teeth", "2")], api);
  await branches.readTimes();
  assert.deepEqual(branches.all.value.map((one) => branches.timeOf(one).slice(0, 7)), ["2026-05", "2026-01"]);
});

test("a deleted branch is hidden, and is there again by undo", async () => {
  let removed = 0;
  const api = { list: async () => [branch("main", "1"), branch("teeth", "2")],
    commit: async () => ({ createdAt: "2026-05-05T00:00:00Z" }),
    remove: async () => { removed += 1; } } as unknown as BranchesApi;
  const branches = new Branches("p", [branch("main", "1"), branch("teeth", "2")], api);
  branches.delete("teeth");
  await branches.load();
  assert.deepEqual(branches.all.value.map(({ name }) => name), ["main"]);
  await undo();
  await branches.load();
  assert.deepEqual(branches.all.value.map(({ name }) => name), ["main", "teeth"]);
  assert.equal(removed, 0);
});
