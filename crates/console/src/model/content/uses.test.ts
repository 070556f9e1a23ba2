import assert from "node:assert/strict";
import { test } from "node:test";
import type { UsingProject } from "../../api/content/bom";
import { Uses } from "./uses";

const project = (id: string): UsingProject =>
  ({ projectId: id, name: id, branch: "main", uses: [], hasMoreUses: false });

/** Uses whose pages hold these projects. */
function fake(pages: string[][]) {
  const asked: (string | null)[] = [];
  const uses = new Uses("p", "bolt", async (_, __, cursor) => {
    asked.push(cursor);
    const at = Number(cursor ?? 0);
    return { projects: (pages[at] ?? []).map(project), notSearched: 1,
      next: at + 1 < pages.length ? String(at + 1) : null };
  });
  return { uses, asked };
}

test("empty pages are passed over until a project uses it, and the rest is searched on demand", async () => {
  const { uses, asked } = fake([[], [], ["pump"], ["press"]]);
  await uses.more();
  assert.deepEqual(uses.projects.value.map(({ name }) => name), ["pump"]);
  assert.equal(uses.hasMore.value, true);
  await uses.more();
  assert.deepEqual(uses.projects.value.map(({ name }) => name), ["pump", "press"]);
  assert.equal(uses.hasMore.value, false);
  assert.equal(uses.notSearched.value, 4);
  await uses.more();
  assert.deepEqual(asked, [null, "1", "2", "3"]);
});

test("a search without a find stops after some pages", async () => {
  const { uses, asked } = fake(Array.from({ length: 9 }, () => []));
  await uses.more();
  assert.equal(asked.length, 5);
  assert.equal(uses.hasMore.value, true);
});
