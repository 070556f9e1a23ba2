import assert from "node:assert/strict";
import { afterEach, mock, test } from "node:test";
import { DownloadGrants, type DownloadGrant } from "./downloads";
import { previewAddress } from "./previews";

afterEach(() => mock.restoreAll());

/** Grants of a control plane, and a data plane that refuses those of `refused`. */
function fake(lifetimeMs: number, refused: readonly string[] = []) {
  const [read, clock] = [[] as string[], { now: 0 }];
  let count = 0;
  const grants = new DownloadGrants(async () => ({ downloadUrl: "http://data/{fileName}", dataPlane: {
    token: `grant${count += 1}`, expiresAt: new Date(clock.now + lifetimeMs).toISOString() } }) as DownloadGrant,
  () => clock.now);
  mock.method(globalThis, "fetch", async (address: string, init?: RequestInit) => {
    const token = new Headers(init?.headers).get("Authorization")?.replace("Bearer ", "") ?? "";
    read.push(`${token} ${address}`);
    return Response.json({}, { status: refused.includes(token) ? 401 : 200 });
  });
  return { clock, read, get: (place: string, file: string) => grants.read(place, () => file) };
}

test("a grant is kept for all files of its place", async () => {
  const { get, read } = fake(900_000);
  await Promise.all([get("one", "a"), get("one", "b")]);
  await get("two", "c");
  await get("one", "d");
  assert.deepEqual(read, ["grant1 a", "grant1 b", "grant2 c", "grant1 d"]);
});

test("a grant is replaced a minute before its end", async () => {
  const { get, read, clock } = fake(900_000);
  for (clock.now of [0, 839_000, 841_000]) await get("one", "a");
  assert.deepEqual(read, ["grant1 a", "grant1 a", "grant2 a"]);
});

test("a grant that has ended by this clock is kept for a minute", async () => {
  const { get, read, clock } = fake(-900_000);
  for (clock.now of [0, 59_000, 61_000]) await get("one", "a");
  assert.deepEqual(read, ["grant1 a", "grant1 a", "grant2 a"]);
});

test("a refused grant is replaced once", async () => {
  const { get, read } = fake(900_000, ["grant1", "grant3", "grant4"]);
  assert.equal((await get("one", "a")).status, 200);
  assert.deepEqual(read, ["grant1 a", "grant2 a"]);
  assert.equal((await get("two", "b")).status, 401);
  assert.deepEqual(read.slice(2), ["grant3 b", "grant4 b"]);
});

test("addresses are those of the grant, without parameters that have no value", () => {
  const grant = { previewUrl: "http://data/{objectId}/preview", thumbnailUrl: "http://data/{objectId}/thumbnail",
    derivedUrl: "http://data/{objectId}/derived/{format}" };
  assert.equal(previewAddress(grant, "a/b", "derived/glb", { sha256: undefined }), "http://data/a%2Fb/derived/glb");
  assert.equal(previewAddress(grant, "a", "thumbnail", { size: 256, sha256: "ab" }),
    "http://data/a/thumbnail?size=256&sha256=ab");
});
