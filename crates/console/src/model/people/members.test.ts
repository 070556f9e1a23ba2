import assert from "node:assert/strict";
import { test } from "node:test";
import type { MadeKey, Member, Organization } from "../../api/people/organizations";
import { Members, type MemberApi } from "./members";
import { messages } from "../messages";
import { sendWaiting, undo } from "../undo";

const organization = (role: string): Organization =>
  ({ id: "o", name: "Wheels", slug: "wheels", role, createdAt: "2026-01-01T00:00:00Z" });
const member = (userId: string, role: Member["role"], kind: Member["kind"] = "person"): Member =>
  ({ userId, role, kind, name: userId, joinedAt: "2026-01-01T00:00:00Z" });

function fake(role: string) {
  const asked: string[] = [];
  const api: MemberApi = {
    members: async () => [member("me", "owner"), member("bob", "member"), member("robot", "member", "service")],
    invitations: async () => [],
    changeRole: async (_, id, now) => void asked.push(`${id} ${now}`),
    remove: async () => [],
    invite: async () => { throw new Error("not asked"); },
    revoke: async () => {},
    revokeKey: async () => {},
  };
  return { members: new Members(organization(role), { id: "me", name: "Me" }, api), api, asked };
}

test("an admin changes everybody but owners, and makes no owners", async () => {
  const { members } = fake("admin");
  await members.reload();
  const [owner, bob] = members.all.value;
  assert.ok(owner && bob);
  assert.equal(members.mayChange(owner), false);
  assert.deepEqual(members.rolesFor(bob), ["guest", "member", "admin"]);
  assert.deepEqual(members.invitable, ["guest", "member", "admin"]);
});

test("no service account becomes an owner", async () => {
  const { members } = fake("owner");
  await members.reload();
  const [, bob, robot] = members.all.value;
  assert.ok(bob && robot);
  assert.ok(members.rolesFor(bob).includes("owner"));
  assert.ok(!members.rolesFor(robot).includes("owner"));
});

test("a role is shown at once, and undo gives the one before", async () => {
  const { members, asked } = fake("owner");
  await members.reload();
  const bob = members.all.value[1];
  assert.ok(bob);
  const changing = members.change(bob, "admin");
  assert.equal(members.all.value[1]?.role, "admin");
  await changing;
  await undo();
  assert.equal(members.all.value[1]?.role, "member");
  assert.deepEqual(asked, ["bob admin", "bob member"]);
});

test("taking back two changes reaches the first one", async () => {
  const { members, asked } = fake("owner");
  await members.reload();
  const [, bob, robot] = members.all.value;
  assert.ok(bob && robot);
  await members.change(bob, "admin");
  await members.change(robot, "guest");
  await undo();
  await undo();
  assert.deepEqual(asked, ["bob admin", "robot guest", "robot member", "bob member"]);
});

test("a refused role is taken back with the reason", async () => {
  const { members, api } = fake("owner");
  await members.reload();
  api.changeRole = async () => { throw new Error("The last owner stays."); };
  const me = members.all.value[0];
  assert.ok(me);
  await members.change(me, "member");
  assert.equal(members.all.value[0]?.role, "owner");
  assert.ok(messages.value.some(({ message, bad }) => bad && message.includes("The last owner stays.")));
});

test("a removed member is gone at once, and the keys that they made are told when they are removed", async () => {
  const { members, api } = fake("owner");
  const removed: string[] = [];
  api.remove = async (_, id) => {
    removed.push(id);
    return [{ keyId: "k", name: "nightly", mask: "…", userId: "robot" }] as unknown as MadeKey[];
  };
  await members.reload();
  const bob = members.all.value[1];
  assert.ok(bob);
  const kept: string[] = [];
  const remove = () => members.remove(bob, (keys) => kept.push(...keys.map(({ name }) => name)));
  remove();
  await members.reload();
  assert.deepEqual([members.shown.value.map(({ userId }) => userId), removed, kept], [["me", "robot"], [], []]);
  await undo();
  assert.equal(members.shown.value.length, 3);
  remove();
  await sendWaiting();
  assert.deepEqual([members.all.value.length, removed, kept], [2, ["bob"], ["nightly"]]);
});
