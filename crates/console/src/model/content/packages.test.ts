import assert from "node:assert/strict";
import { test } from "node:test";
import type { Include, Package } from "../../api/content/packages";
import { isOld, Packages, type PackagesApi } from "./packages";

const published = (commitHash: string): Package => ({ id: "w", name: "Wheels", branch: "main", commitHash,
  description: "", objectCount: 1, ref: `p/w@${commitHash}`, updatedAt: "" });

function fake(newest: Package | null) {
  let pinned = "old";
  const asked: string[] = [];
  const api: PackagesApi = {
    published: async () => [],
    one: async () => newest,
    objects: async () => [{ id: "i", name: "Wheels", parent: "p", type: "Include", data: {} }, {
      id: "gone", name: "Gone", parent: "p", type: "Include", data: {} }],
    include: async (_, id) => (id === "gone" ? null : { id, name: "Wheels", parent: "p", available: true,
      include: { projectId: "q", packageId: "w", commitHash: pinned } } as Include),
    publish: async () => {},
    withdraw: async () => {},
    add: async (_, ref) => { asked.push(ref); },
    pin: async (_, __, hash) => { pinned = hash; },
  };
  return { packages: new Packages("p", api), asked };
}

test("an included package is old if a newer state is published, and is brought up to date", async () => {
  const { packages } = fake(published("new"));
  await packages.load();
  const [one] = packages.included.value;
  assert.equal(packages.included.value.length, 1);
  assert.ok(one && isOld(one));
  await packages.update("i", "new");
  const [now] = packages.included.value;
  assert.ok(now && !isOld(now));
});

test("a package that can't be read is not called old", async () => {
  const { packages, asked } = fake(null);
  await packages.load();
  const [one] = packages.included.value;
  assert.ok(one && !isOld(one));
  await packages.include(" q/w@new ", "key");
  assert.deepEqual(asked, ["q/w@new"]);
});
