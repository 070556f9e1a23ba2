import assert from "node:assert/strict";
import { test } from "node:test";
import type { TreeNode, UncommittedChanges } from "../../api/content/objects";
import { Changes, together, type ChangesApi } from "./changes";
import type { Entry } from "./compared-entry";
import { Decision, conflictsOf } from "./conflicts";
import { ApiError } from "../../api/errors";
import { History, messageOf } from "./history";
import type { OpenedProject } from "./project";

const node = (id: string, parent: string): TreeNode => ({ id, parent, name: id, type: "Part", childrenCount: 0 });
const entry = (objectId: string, parentId: string, change: Entry["change"]): Entry =>
  ({ objectId, parentId, change, name: objectId, type: "Part", path: "", fields: async () => [] });
const ids = (entries: readonly { objectId: string }[]) => entries.map(({ objectId }) => objectId).join(" ");

test("an added folder is discarded after what is in it", () => {
  const entries = [entry("bulk", "p", "added"), entry("page", "bulk", "added"), entry("gear", "bulk", "modified")];
  assert.equal(ids(together(entries[0] as Entry, entries, [])), "gear page bulk");
});

test("a deleted object comes back with the deleted ones that it was in, and with what it held", () => {
  const entries = [entry("bulk", "p", "deleted"), entry("page", "bulk", "deleted"), entry("line", "page", "deleted")];
  assert.equal(ids(together(entries[1] as Entry, entries, [])), "bulk page line");
});

test("a change alone is discarded alone", () => {
  const entries = [entry("gear", "p", "modified"), entry("pin", "gear", "added")];
  assert.equal(ids(together(entries[0] as Entry, entries, [])), "gear");
});

test("changes are listed with their names, and discarded in parts that the service takes", async () => {
  const added = Array.from({ length: 150 }, (_, at) => `page-${at}`);
  let [changes, parts] = [{ added, modified: [], deleted: [], deletedObjects: [], hasChanges: true,
    committedHash: "c", totalObjectChanges: 150 } as UncommittedChanges, [] as number[]];
  const api = { changes: async () => changes, tree: async () => added.map((id) => node(id, "p")),
    discard: async (_: string, __: string, some?: readonly string[]) => {
      parts = [...parts, some?.length ?? 0];
      changes = { ...changes, added: [], totalObjectChanges: 0 };
    } } as unknown as ChangesApi;
  const opened = { project: { id: "p", defaultBranch: "main" }, branch: "main" } as OpenedProject;
  const model = new Changes(opened, api);
  await model.load();
  assert.equal(model.comparison.value.entries.length, 150);
  assert.equal(model.comparison.value.entries[9]?.name, "page-9");
  await model.discard(model.comparison.value.entries);
  assert.deepEqual(parts, [100, 50]);
  assert.equal(model.total.value, 0);
});

test("all conflicts must be decided", () => {
  const decision = new Decision([
    { objectId: "g", field: "/name", kind: "field" }, { objectId: "g", field: "", kind: "deleted" }]);
  decision.take(0, "theirs");
  assert.equal(decision.isWhole.value, false);
  decision.take(1, "keep");
  decision.take(0, "ours");
  assert.equal(decision.isWhole.value, true);
  assert.deepEqual(decision.resolutions.value.map(({ take }) => take), ["ours", "keep"]);
});

test("conflicts are those of a refused merge", () => {
  assert.equal(conflictsOf(new Error("no")), null);
  const refusal = new ApiError(409, { code: "MERGE_CONFLICT", message: "", details: { conflicts: [] } });
  assert.equal(conflictsOf(refusal)?.length, 0);
});

test("a history that is read again keeps older commits that were shown", async () => {
  const commit = (hash: string) =>
    ({ hash, message: `${hash}\n\nwhy`, parents: [], createdAt: "", author: { name: "a", email: "" } });
  let newest = ["c", "b"];
  const history = new History("p", "main", async (_, __, cursor) =>
    (cursor ? { commits: [commit("a")], next: null } : { commits: newest.map(commit), next: "older" }));
  await history.load();
  await history.more();
  newest = ["d", "c"];
  await history.load();
  assert.equal(history.commits.value.map(({ hash }) => hash).join(""), "dcba");
  assert.equal(history.next.value, null);
  assert.deepEqual(messageOf(commit("x")), { subject: "x", rest: "why" });
});
