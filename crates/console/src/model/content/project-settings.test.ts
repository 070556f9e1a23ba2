import assert from "node:assert/strict";
import { test } from "node:test";
import type { Organization } from "../../api/places";
import type { ProjectMember } from "../../api/content/projects";
import { messages } from "../messages";
import type { OpenedProject } from "./project";
import { undo } from "../undo";
import { ProjectSettings, type SettingsApi } from "./project-settings";

const organization = (id: string, role: Organization["role"]) => ({ id, name: id, role }) as Organization;
const member = (userId: string, isDirect: boolean): ProjectMember =>
  ({ userId, name: userId, isDirect, kind: "person", role: "editor" }) as ProjectMember;

const noted: (body: unknown) => unknown = () => {};

function settings(organizations: Organization[], { ownerId = "works", refuse = false, update = noted } = {}) {
  const opened = { project: { id: "p", ownerId, visibility: "private" }, caller: { id: "alice", name: "alice" },
    organizations } as unknown as OpenedProject;
  const api: SettingsApi = {
    members: async () => [member("alice", false), member("bob", true)],
    people: async () => [{ userId: "bob", name: "bob" }, { userId: "carol", name: "carol" }],
    setMember: async () => { if (refuse) throw new Error("the last manager"); },
    removeMember: async () => {},
    setLink: async () => {},
    update: async (_, body) => {
      update(body);
      return { ...opened.project, ...body } as OpenedProject["project"];
    },
  };
  return new ProjectSettings(opened, api);
}

test("only people with whom the project isn't shared are offered", async () => {
  const model = settings([organization("works", "member")]);
  await model.load();
  assert.deepEqual([...(await model.people()).keys()], ["carol"]);
});

test("a refused role goes back with its reason", async () => {
  const model = settings([], { refuse: true });
  await model.load();
  const bob = model.members.value[1] as ProjectMember;
  await model.setRole(bob, "viewer");
  assert.equal(model.members.value[1]?.role, "editor");
  assert.ok(messages.value.some(({ message }) => message.includes("the last manager")));
});

test("a removed member comes back with their role by undo", async () => {
  const model = settings([]);
  await model.load();
  await model.remove(model.members.value[1] as ProjectMember);
  const shared: string[] = [];
  model.share = async (person, role) => { shared.push(`${person} ${role}`); };
  await undo();
  assert.deepEqual(shared, ["bob editor"]);
});

test("a changed key goes back by undo, and an empty one changes none", async () => {
  const model = settings([]);
  const fields = { name: "Gear", description: "", visibility: "private" as const };
  model.project.value = { ...model.project.value, ...fields, key: "GEAR" };
  await model.save({ ...fields, key: "ZAHN" });
  assert.equal(model.project.value.key, "ZAHN");
  await undo();
  assert.equal(model.project.value.key, "GEAR");
  const sent: unknown[] = [];
  const other = settings([], { update: (body) => sent.push(body) });
  await other.save({ ...fields, key: null });
  assert.deepEqual(sent, [fields]);
});

test("internal is offered to an organization's projects alone", () => {
  assert.deepEqual(settings([organization("works", "member")]).kinds, ["private", "internal", "public"]);
  assert.deepEqual(settings([], { ownerId: "alice" }).kinds, ["private", "public"]);
});

test("a project is given away by its owner or by managers of the organization", () => {
  assert.equal(settings([organization("works", "member")]).transfers, false);
  assert.equal(settings([organization("works", "admin")]).transfers, true);
  assert.equal(settings([], { ownerId: "alice" }).transfers, true);
  assert.deepEqual(settings([organization("works", "admin"), organization("guests", "guest")]).owners
    .map(({ id }) => id), ["alice"]);
});
