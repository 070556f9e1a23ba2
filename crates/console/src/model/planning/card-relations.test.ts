import assert from "node:assert/strict";
import { test } from "node:test";
import type { RelatedCard, RelationsApi } from "../../api/planning/card-relations";
import { messages } from "../messages";
import { undo } from "../undo";
import { CardFamily } from "./card-family";
import { CardRelations } from "./card-relations";
import { OpenCard } from "./open-card";
import { cardApiOf, read } from "./testing";

const teamOf = (teamId: string) => ({ orgId: "o", teamId });
const other: RelatedCard = { id: "d", projectId: "p", key: "GEAR-2", name: "Order the hob", isOpen: true };

async function opened(others: Partial<RelationsApi> = {}, now = read("c")) {
  const asked: string[] = [];
  const api: RelationsApi = {
    set: async ({ cardId }, id, kind, is) => {
      asked.push(`${cardId} ${is ? kind : `not ${kind}`} ${id}`);
      const relation = { kind, direction: "inward" as const, card: other };
      now = { ...now, relations: is && kind === "blocks" && cardId === "d" ? [relation] : [] };
    },
    children: async () => [],
    create: async (_path, { name }) => ({ ...read(name).indexCard, effort: 3 }),
    farChildren: async () => [],
    ...others,
  };
  const card = await OpenCard.open({ projectId: "p", cardId: "c" }, { board: null, teamOf }, cardApiOf(() => now, {
    change: async (_path, { parentId }) => {
      asked.push(`parent ${parentId}`);
      now = { ...now, card: { ...now.card, parent_id: parentId ?? null } };
      return now;
    } }));
  return { card, relations: new CardRelations(card, api), family: new CardFamily(card, api), asked };
}

test("a blocker is written on the side of the card that blocks, and removed by undo", async () => {
  const { relations, asked } = await opened();
  const sent = relations.set("blockedBy", other, true);
  assert.deepEqual(relations.groups.value.map(([side, cards]) => [side, cards.length]), [["blockedBy", 1]]);
  await sent;
  await undo();
  assert.deepEqual(asked, ["d blocks c", "d not blocks c"]);
  assert.deepEqual(relations.groups.value, []);
});

test("what a card blocks or duplicates is written on its own side", async () => {
  const { relations, asked } = await opened();
  const sides = ["blocks", "relates", "duplicates", "duplicatedBy"] as const;
  for (const side of sides) await relations.set(side, other, true);
  assert.deepEqual(asked, ["c blocks d", "c relates d", "c duplicates d", "d duplicates c"]);
});

test("a refused relation goes away again, with the reason", async () => {
  const { relations } = await opened({ set: async () => { throw new Error("At most 100."); } });
  await relations.set("relates", other, true);
  assert.deepEqual(relations.groups.value, []);
  assert.ok(messages.value.some(({ message }) => message.includes("At most 100.")));
});

test("a chosen parent is shown at once, and taken out by undo", async () => {
  const { family, asked } = await opened();
  const sent = family.setParent(other);
  assert.equal(family.parent.value?.key, "GEAR-2");
  await sent;
  await undo();
  assert.equal(family.parent.value, null);
  assert.deepEqual(asked, ["parent d", "parent null"]);
});

test("a sub-card is listed once it is made, and counts", async () => {
  const { family } = await opened();
  await family.add({ name: "Call the maker" }, "key");
  assert.deepEqual(family.children.value.map(({ name }) => name), ["Call the maker"]);
  assert.deepEqual(family.progress.value, { total: 1, closed: 0, effort: 3, closedEffort: 0 });
});

test("children of other projects stand after those of the card's own", async () => {
  const told = { total: 2, closed: 0, effort: 0, closedEffort: 0 };
  const asked: string[] = [];
  const { family } = await opened({ children: async () => [read("near").indexCard],
    farChildren: async ({ cardId }) => {
      asked.push(cardId);
      return [{ ...read("far").indexCard, project_id: "q" }];
    } }, { ...read("c"), children: told });
  await family.readChildren();
  assert.deepEqual(family.children.value.map(({ name }) => name), ["near", "far"]);
  assert.deepEqual(asked, ["c"]);
});

test("the parent is the one that the card was read with", async () => {
  const far = { ...other, projectId: "q", key: "AXLE-1" };
  const { family } = await opened({}, { ...read("c", { parent_id: "d" }), parent: far });
  assert.equal(family.parent.value?.key, "AXLE-1");
});

test("cards on deeper levels count, too", async () => {
  const told = { total: 5, closed: 2, effort: 8, closedEffort: 3 };
  const { family } = await opened({}, { ...read("c"), children: told });
  await family.add({ name: "One more" }, "key");
  assert.deepEqual(family.progress.value, told);
});
