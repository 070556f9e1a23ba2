import assert from "node:assert/strict";
import { test } from "node:test";
import type { CardTypeApi, CardTypeChanges, CardTypeDefinition } from "../../api/planning/card-types";
import { undo } from "../undo";
import { changesOfType, newCardType, ProjectTypes, typedCardType } from "./project-types";

const bug: CardTypeDefinition = { id: "b", projectId: "p", name: "bug", description: "Steps:",
  checklist: ["Write a test", "Tell the customer"] };

async function opened() {
  const asked: CardTypeChanges[] = [];
  const api: CardTypeApi = {
    list: async () => [bug],
    create: async (_project, { name }) => ({ ...bug, id: name, name, description: "", checklist: [] }),
    change: async (_project, _id, changes) => {
      asked.push(changes);
      return { ...bug, ...changes as object };
    },
    remove: async () => {},
  };
  const types = new ProjectTypes("p", api);
  await types.load();
  return { types, asked };
}
const names = (types: ProjectTypes) => types.all.value.map(({ name }) => name).join();

test("a checklist is typed with a line for each entry, and empty lines are left out", () => {
  assert.deepEqual(newCardType({ name: " Review ", description: "", lines: " a \n\n  \nb" }),
    { name: "Review", description: "", checklist: ["a", "b"] });
  assert.equal(typedCardType(bug).lines, "Write a test\nTell the customer");
});

test("a changed type sends what differs alone", () => {
  assert.equal(changesOfType(bug, { ...typedCardType(bug), lines: "Write a test\n\nTell the customer\n" }), null);
  assert.deepEqual(changesOfType(bug, { ...typedCardType(bug), lines: "Tell the customer" }),
    { checklist: ["Tell the customer"] });
  assert.deepEqual(changesOfType(bug, { ...typedCardType(bug), description: "" }), { description: "" });
});

test("types stay in the order of their names, and a change is undone", async () => {
  const { types, asked } = await opened();
  await types.create({ name: "audit" }, "key");
  assert.equal(names(types), "audit,bug");
  await types.change(bug, { checklist: [] });
  assert.deepEqual(types.all.value[1]?.checklist, []);
  await undo();
  assert.deepEqual(asked.at(-1), { description: "Steps:", checklist: ["Write a test", "Tell the customer"] });
  await types.remove(bug);
  assert.equal(names(types), "audit");
});
