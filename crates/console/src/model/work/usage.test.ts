import assert from "node:assert/strict";
import { test } from "node:test";
import type { UsageGroup } from "../../api/work/usage";
import { text } from "../../text";
import { barsOf, cardRows, csvOf, periodOf, rowOf } from "./usage";

const PROJECT = { kind: "project", id: "p" } as const;
const group = (fields: Partial<UsageGroup>) => ({ credits: 1, eventCount: 2, promptTokens: 3, completionTokens: 4,
  ...fields }) as UsageGroup;

test("a period without an address is the last 30 days by day", () => {
  assert.deepEqual(periodOf(new URLSearchParams(), PROJECT, Date.parse("2026-11-27T12:00:00Z")),
    { from: "2026-10-29", to: "2026-11-27", by: "day" });
});

test("an address with what is no day or no grouping of the page is read without it", () => {
  const search = new URLSearchParams("from=2026-11-01&to=soon&by=card");
  const now = Date.parse("2026-11-27T12:00:00Z");
  assert.deepEqual(periodOf(search, PROJECT, now), { from: "2026-11-01", to: "2026-11-27", by: "card" });
  assert.equal(periodOf(search, { kind: "account" }, now).by, "day");
});

test("rows are named by day, model, session and project", () => {
  const names = new Map([["a", "Gear"]]);
  assert.equal(rowOf(group({ day: "2026-11-02T00:00:00Z" }), PROJECT, names).name, "2026-11-02");
  assert.equal(rowOf(group({ provider: "maker", model: "quick" }), PROJECT, names).name, "maker quick");
  assert.equal(rowOf(group({ sessionId: "s" }), PROJECT, names).href, "/projects/p/sessions/s");
  assert.equal(rowOf(group({ projectId: "a" }), { kind: "account" }, names).name, "Gear");
  const unknown = rowOf(group({ projectId: "b" }), { kind: "account" }, names);
  assert.deepEqual([unknown.name, unknown.href], [text.usage.otherProject, undefined]);
});

test("a day without usage is a gap between bars", () => {
  const period = { from: "2026-11-01", to: "2026-11-03", by: "day" as const };
  const rows = [rowOf(group({ day: "2026-11-02T00:00:00Z" }), PROJECT, new Map())];
  assert.deepEqual(barsOf({ period, rows }).map(({ value }) => value), [0, 1, 0]);
  assert.deepEqual(barsOf({ period: { ...period, to: "2026-10-01" }, rows }), []);
});

test("cards share runs, and what no card has a share of is a row of its own", () => {
  const card = { cardId: "c", name: null, credits: 1, runCount: 2 };
  const rows = cardRows({ cards: [card], other: 0.5 }, "p");
  assert.deepEqual(rows.map(({ name, href }) => [name, href]),
    [[text.usage.deletedCard, undefined], [text.usage.noCard, undefined]]);
});

test("a formula is text in the file", () => {
  assert.equal(csvOf("card", [{ key: "c", name: '=1+"1"', credits: 0.25, runCount: 1 }]),
    'card,credits,runCount\r\n"\'=1+""1""",0.25,1\r\n');
});
