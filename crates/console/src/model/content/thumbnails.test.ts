import assert from "node:assert/strict";
import { test } from "node:test";
import type { Made } from "../../api/content/previews";
import { Thumbnails } from "./thumbnails";

const settle = () => new Promise((resolve) => { setTimeout(resolve, 0); });
const pictured = (id: string) => ({ place: "p", id, sha256: "file" });

/** Thumbnails whose answers the test gives, in the order of the requests. */
function fake() {
  const asked: { id: string; give: (made: Made<Blob>) => void; refuse: () => void }[] = [];
  const revoked: string[] = [];
  let made = 0;
  const thumbnails = new Thumbnails({
    read: (_, id) => new Promise((give, refuse) => {
      asked.push({ id, give, refuse: () => refuse(new Error("away")) });
    }),
    readAttached: async () => ({ value: null }),
    makeUrl: () => `blob:${made += 1}`,
    revokeUrl: (url) => { revoked.push(url); },
    wait: async () => {},
  });
  const shown = new Map<string, string | null>();
  const show = (id: string) => thumbnails.show(pictured(id), (url) => { shown.set(id, url); });
  return { thumbnails, asked, revoked, shown, show };
}

test("at most four pictures are read at once, the last asked for first", async () => {
  const { asked, show } = fake();
  for (const id of ["a", "b", "c", "d", "e", "f"]) show(id);
  assert.equal(asked.map(({ id }) => id).join(""), "abcd");
  asked[0]?.give({ value: null });
  await settle();
  assert.equal(asked.map(({ id }) => id).join(""), "abcdf");
});

test("a large picture of an attachment is read beside its small one", async () => {
  const asked: string[] = [];
  const thumbnails = new Thumbnails({
    read: async () => ({ value: null }),
    readAttached: async ({ cardId }, id, size) => {
      asked.push(`${cardId} ${id} ${size}`);
      return { value: null };
    },
    makeUrl: () => "", revokeUrl: () => {}, wait: async () => {},
  });
  const attached = { ...pictured("a"), card: "c" };
  for (const of of [attached, { ...attached, px: 1024 as const }]) thumbnails.show(of, () => {});
  await settle();
  assert.deepEqual(asked.sort(), ["c a 1024", "c a 256"]);
});

test("a picture is read once for all that show it, and again only if reading failed", async () => {
  const { asked, shown, show, thumbnails } = fake();
  show("a");
  show("a");
  asked[0]?.give({ value: new Blob(["x"]) });
  await settle();
  show("a");
  assert.equal(asked.length, 1);
  assert.equal(shown.get("a"), "blob:1");
  show("b");
  asked[1]?.refuse();
  await settle();
  assert.equal(thumbnails.known(pictured("b")), undefined);
  show("b");
  assert.equal(asked.length, 3);
  asked[2]?.give({ value: null });
  await settle();
  show("b");
  assert.equal(asked.length, 3);
  assert.equal(shown.get("b"), null);
});

test("a picture that is being made is asked for again while it is shown", async () => {
  const { asked, shown, show } = fake();
  const leave = show("a");
  asked[0]?.give({ value: null, againMs: 1 });
  await settle();
  asked[1]?.give({ value: new Blob(["x"]) });
  await settle();
  assert.equal(shown.get("a"), "blob:1");
  leave();
  show("b")();
  asked[2]?.give({ value: null, againMs: 1 });
  await settle();
  assert.equal(asked.length, 3);
});

test("what is passed by is not read, and of many pictures those that nobody shows are revoked", async () => {
  const { asked, revoked, show, thumbnails } = fake();
  const leaves = Array.from({ length: 450 }, (_, at) => show(String(at)));
  leaves[10]?.();
  for (let at = 0; at < 450; at += 1) {
    asked[at]?.give({ value: new Blob(["x"]) });
    await Promise.resolve();
    await settle();
  }
  assert.equal(asked.length, 449);
  assert.equal(revoked.length, 0);
  for (const leave of leaves) leave();
  assert.equal(revoked.length, 49);
  thumbnails.forget();
  assert.equal(revoked.length, 449);
});
