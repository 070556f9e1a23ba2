import assert from "node:assert/strict";
import { test } from "node:test";
import type { FilesApi, ProjectObject, TreeNode, UncommittedChanges } from "../../api/content/objects";
import { Files } from "./files";
import { messages } from "../messages";
import type { OpenedProject } from "./project";
import { undo } from "../undo";

const node = (id: string, parent: string, type = "Part"): TreeNode =>
  ({ id, parent, type, name: id, childrenCount: 0 });
const NONE: UncommittedChanges = { added: ["bolt"], modified: [], deleted: [], deletedObjects: [], hasChanges: true,
  committedHash: "", totalObjectChanges: 1 };

/** A branch whose service notes what it is asked, and refuses what the test says. */
async function fake() {
  const asked: string[] = [];
  const refused = { is: false };
  let nodes = [node("folder", "p", "Folder"), node("gear", "p"), node("bolt", "gear")];
  const note = async (said: string) => {
    asked.push(said);
    if (refused.is) throw new Error("somebody was faster");
  };
  const api: FilesApi = {
    tree: async () => nodes,
    changes: async () => NONE,
    object: async (_, id) => ({ ...node(id, "p"), data: {} }) as ProjectObject,
    create: async (_, { name, parent }) => {
      await note(`create ${name}`);
      nodes = [...nodes, node(name, parent)];
      return name;
    },
    patch: async (_, id, body) => {
      await note(`patch ${id} ${JSON.stringify(body)}`);
      nodes = nodes.map((one) => (one.id === id ? { ...one, ...body } as TreeNode : one));
    },
    remove: async (_, id) => {
      await note(`remove ${id}`);
      nodes = nodes.filter((one) => one.id !== id);
    },
    commit: async () => {
      await note("commit");
      return "hash";
    },
  };
  const opened = { project: { id: "p", name: "P", defaultBranch: "main" }, branch: "main" } as OpenedProject;
  const files = new Files(opened, api);
  await files.load();
  return { files, asked, refused };
}
const names = (files: Files) => files.tree.nodes.value.map(({ name }) => name).join(" ");

test("a new name is there at once, and is taken back by undo", async () => {
  const { files, asked } = await fake();
  const done = files.rename("gear", "wheel");
  assert.equal(names(files), "folder wheel bolt");
  await done;
  await undo();
  assert.equal(names(files), "folder gear bolt");
  assert.deepEqual(asked, ['patch gear {"name":"wheel"}', 'patch gear {"name":"gear"}']);
});

test("the same name is no edit", async () => {
  const { files, asked } = await fake();
  await files.rename("gear", "gear");
  await files.setData("gear", { teeth: 24 }, { teeth: 24 });
  assert.equal(asked.length, 0);
});

test("a refused edit goes back with its reason", async () => {
  const { files, refused } = await fake();
  refused.is = true;
  assert.equal(await files.move("gear", "folder"), false);
  assert.equal(files.nodeOf("gear")?.parent, "p");
  assert.ok(messages.value.some(({ message }) => message.includes("somebody was faster")));
});

test("nothing moves into itself", async () => {
  const { files, asked } = await fake();
  assert.equal(await files.move("gear", "bolt"), false);
  assert.equal(asked.length, 0);
});

test("a deletion hides at once, tells its cost before, and is sent before a commit", async () => {
  const { files, asked } = await fake();
  assert.deepEqual(files.lossOf("gear"), { gone: 2, lost: 1 });
  files.delete("gear");
  assert.equal(files.nodeOf("gear"), undefined);
  await files.load();
  assert.equal(files.nodeOf("gear"), undefined);
  assert.equal(await files.commit("Delete the gear", "key"), "hash");
  assert.deepEqual(asked, ["remove gear", "commit"]);
});

test("a deletion that is taken back is never sent", async () => {
  const { files, asked } = await fake();
  files.delete("gear");
  await undo();
  await files.load();
  assert.ok(files.nodeOf("gear"));
  assert.equal(asked.length, 0);
});

test("of objects that are passed by only the last is read", async () => {
  const { files } = await fake();
  void files.select("gear");
  await files.select("bolt");
  assert.equal(files.shown.value?.object?.id, "bolt");
  assert.equal(files.tree.unfolded.value.has("gear"), true);
});

test("a new object can be taken back", async () => {
  const { files, asked } = await fake();
  await files.create("pin", "Part", "gear", "key");
  assert.ok(files.nodeOf("pin"));
  await undo();
  assert.equal(files.nodeOf("pin"), undefined);
  assert.deepEqual(asked, ["create pin", "remove pin"]);
});

test("a reading that is overtaken waits for the newer one", async () => {
  const { files } = await fake();
  const overtaken = files.load();
  let isThere = false;
  void files.create("pin", "Part", "gear", "key").then(() => { isThere = files.nodeOf("pin") !== undefined; });
  await overtaken;
  await files.load();
  await new Promise((done) => { setTimeout(done); });
  assert.equal(isThere, true);
});
