import assert from "node:assert/strict";
import { test } from "node:test";
import type { Account } from "../../api/people/account";
import { undo } from "../undo";
import { caller } from "./account";
import { OwnAccount, type AccountApi } from "./own-account";

const ADA: Account = { id: "u1", email: "ada@example.com", commitEmail: "u1@users.noreply.example", name: "Ada",
  slug: "ada", showEmailInCommits: false, createdAt: "2026-01-01T00:00:00Z" };

function opened(rename: AccountApi["rename"]) {
  const refuse = async () => { throw new Error("not asked"); };
  return new OwnAccount(ADA, [], { rename, show: refuse, accept: refuse, put: refuse, clear: refuse });
}

test("a new name is that of the answer, in the frame, too, and undo brings the old one back", async () => {
  const asked: string[] = [];
  const account = opened(async (name) => {
    asked.push(name);
    return { ...ADA, name: name.trim() };
  });
  await account.rename(" Ada Lovelace ");
  assert.equal(account.user.value.name, "Ada Lovelace");
  assert.equal(caller.value?.name, "Ada Lovelace");
  await undo();
  assert.deepEqual(asked, [" Ada Lovelace ", "Ada"]);
  assert.equal(caller.value?.name, "Ada");
});

test("a refused name changes nothing, and the form learns of it", async () => {
  const account = opened(async () => { throw new Error("too long"); });
  await assert.rejects(account.rename("x"), /too long/);
  assert.equal(account.user.value.name, "Ada");
});

test("a new picture is shown by the address that the service answers, and a removed one no more", async () => {
  const refuse = async () => { throw new Error("not asked"); };
  const taken: unknown[] = [];
  const account = new OwnAccount(ADA, [], { rename: refuse, show: refuse, accept: refuse,
    put: async (image) => ({ userId: "u1", sha256: `h${image.size}` }), clear: async () => {} },
  { take: async (picture) => void taken.push(picture) });
  await account.setPicture(new Blob(["abc"]));
  await account.clearPicture();
  assert.deepEqual(taken, [{ userId: "u1", sha256: "h3" }, { userId: "u1", sha256: null }]);
});
