import assert from "node:assert/strict";
import { test } from "node:test";
import type { IssuedKey, Key, KeyApi, NewKey } from "../../api/people/keys";
import { Keys } from "./keys";
import { LADDERS, SETS, scopesOf, scopeWords, setOf } from "./scopes";

const DAY_MS = 86_400_000;
const key = (id: string, fields: Partial<Key> = {}): Key => ({
  id,
  name: id,
  mask: "svc_ak_…",
  scopes: ["projects:read"],
  createdAt: new Date(Date.now() - 10 * DAY_MS).toISOString(),
  expiresAt: new Date(Date.now() + 20 * DAY_MS).toISOString(),
  lastUsedAt: null,
  ...fields,
});

function fake(held: Key[]) {
  const made: NewKey[] = [];
  const revoked: string[] = [];
  const api: KeyApi = {
    read: async () => held.filter(({ id }) => !revoked.includes(id)),
    create: async (body) => {
      made.push(body);
      return { apiKey: key("new", { name: body.name }), key: "text" } as IssuedKey;
    },
    rotate: async (id) => ({ apiKey: key(`${id}'`), key: "text" }) as IssuedKey,
    revoke: async (id) => void revoked.push(id),
  };
  return { api, made, revoked };
}

test("a set of levels gives its scopes, and is found again by them", () => {
  assert.deepEqual(scopesOf(SETS.plan), ["projects:read", "cards:write", "teams:write"]);
  assert.equal(setOf({ projects: "write", cards: "", teams: "" }), "upload");
  assert.equal(setOf({ projects: "manage" }), undefined);
  assert.equal(scopeWords(["projects:write", "future:kind"]), "Projects: write, future: kind");
});

test("every scope of the ladders has words", () => {
  for (const [kind, levels] of LADDERS) {
    for (const level of levels) assert.ok(scopeWords(scopesOf({ [kind]: level })).length > 0 || level === "");
  }
});

test("a key that may do nothing isn't sent", async () => {
  const { api, made } = fake([]);
  await assert.rejects(new Keys(undefined, api).create("laptop", [], 7, "once"), /at least one/);
  assert.equal(made.length, 0);
});

test("the successor of a service account's key lives as long, at most a year, and keeps its prefix", async () => {
  const { api, made } = fake([]);
  const keys = new Keys({ orgId: "o", accountId: "a" }, api);
  await keys.rotate(key("one", { mask: "svc_ak_test_x…" }), "once");
  const days = Math.round((Date.parse(made[0]?.expiresAt ?? "") - Date.now()) / DAY_MS);
  assert.deepEqual([days, made[0]?.test], [30, true]);
});

test("revoking all leaves out keys that have ended, and lists what is left after a failure", async () => {
  const held = [key("a"), key("b"), key("over", { expiresAt: "2020-01-01T00:00:00Z" })];
  const { api, revoked } = fake(held);
  const keys = new Keys(undefined, api);
  await keys.reload();
  const revoke = api.revoke;
  api.revoke = async (id) => {
    if (id === "b") throw new Error("away");
    await revoke(id);
  };
  await assert.rejects(keys.revokeAll(), /away/);
  assert.deepEqual(revoked, ["a"]);
  assert.deepEqual(keys.all.value.map(({ id }) => id), ["b", "over"]);
});
