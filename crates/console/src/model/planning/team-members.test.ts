import assert from "node:assert/strict";
import { test } from "node:test";
import type { TeamMember } from "../../api/people/members";
import { text } from "../../text";
import { messages } from "../messages";
import type { OpenedTeam } from "./team";
import { mayManage, TeamMembers, type TeamMembersApi } from "./team-members";
import { undo } from "../undo";

const member = (userId: string, role: TeamMember["role"] = "member") =>
  ({ userId, name: userId, kind: "person", role }) as TeamMember;

async function team() {
  const asked: unknown[] = [];
  let refusal: Error | null = null;
  const note = async (...all: unknown[]) => {
    asked.push(all.slice(1));
    if (refusal) throw refusal;
  };
  const api: TeamMembersApi = {
    read: async () => [member("alice", "manager"), member("bob")],
    people: async () => ["alice", "bob", "carol"].map((id) => ({ id, name: id })),
    put: note,
    remove: note,
  };
  const members = new TeamMembers({ orgId: "o", teamId: "t" }, api);
  await members.reload();
  return { members, asked, refuse: (error: Error) => { refusal = error; } };
}

const roles = (members: TeamMembers) => members.all.value.map(({ userId, role }) => `${userId} ${role}`).join(", ");

test("those who are in the team already are not offered", async () => {
  const { members } = await team();
  assert.deepEqual((await members.others()).map(({ id }) => id), ["carol"]);
});

test("a role changes at once, and back with the reason", async () => {
  const { members, refuse } = await team();
  refuse(new Error("No."));
  const changing = members.change(member("bob"), "manager");
  assert.equal(roles(members), "alice manager, bob manager");
  await changing;
  assert.equal(roles(members), "alice manager, bob member");
  assert.ok(messages.value.some(({ message }) => message === text.members.unchanged("bob", "No.")));
});

test("a removed member comes back with their role by undo", async () => {
  const { members, asked } = await team();
  await members.remove(member("bob"));
  assert.equal(roles(members), "alice manager");
  await undo();
  assert.deepEqual(asked, [["bob"], ["bob", "member"]]);
});

test("managers of the team and of the organization decide on members", () => {
  const opened = (role: string, id: string) => ({ team: { organization_id: "o" }, organizations: [{ id: "o", role }],
    caller: { id } }) as unknown as OpenedTeam;
  const members = [member("alice", "manager"), member("bob")];
  assert.equal(mayManage(opened("member", "alice"), members), true);
  assert.equal(mayManage(opened("member", "bob"), members), false);
  assert.equal(mayManage(opened("admin", "bob"), members), true);
});
