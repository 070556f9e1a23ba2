import assert from "node:assert/strict";
import { test } from "node:test";
import type { Organization } from "../../api/places";
import { text } from "../../text";
import type { Caller } from "../people/account";
import { ownersOf, ProjectMaker, SELF, type ProjectMakerApi } from "./new-project";

const dora = { id: "u", name: "dora" } as Caller;
const organization = (id: string, role: string, createdAt = "2026-01-01") =>
  ({ id, name: id, role, createdAt }) as Organization;

function maker(organizations: Organization[]) {
  const asked: string[] = [];
  const api: ProjectMakerApi = {
    organization: async (name, key) => {
      asked.push(`organization ${name} ${key.length}`);
      return organization("made", "owner");
    },
    project: async ({ name, orgId }) => {
      asked.push(`project ${name} of ${orgId}`);
      if (asked.length === 2) throw new Error("away");
      return "p";
    },
  };
  return { asked, maker: new ProjectMaker(dora, organizations, api) };
}

test("a person without an organization gets a workspace with the first project", async () => {
  const { asked, maker: made } = maker([]);
  await assert.rejects(made.make("Gear"), /away/);
  assert.equal(await made.make("Gear"), "p");
  assert.deepEqual(asked.slice(0, 2), [`organization ${text.begin.organization("dora")} 32`, "project Gear of made"]);
});

test("projects go to the first organization that a person owns", async () => {
  const all = [organization("guests", "guest"), organization("new", "owner", "2026-02-01"),
    organization("old", "owner")];
  const { asked, maker: made } = maker(all);
  await made.make("Gear");
  assert.deepEqual(asked, ["project Gear of old"]);
  assert.deepEqual(ownersOf(all, dora).map(({ value }) => value), ["old", "new", SELF]);
});

test("a project can stay a person's own", async () => {
  const { asked, maker: made } = maker([]);
  await made.make("Gear", SELF);
  assert.deepEqual(asked, ["project Gear of undefined"]);
  assert.deepEqual(ownersOf([], dora).map(({ value, name }) => [value, name]),
    [["", text.begin.organization("dora")], [SELF, text.projects.self]]);
});
