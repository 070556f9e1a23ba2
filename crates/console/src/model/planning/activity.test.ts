import assert from "node:assert/strict";
import { test } from "node:test";
import type { Comment, HistoryRow } from "../../api/planning/cards";
import { Activity } from "./activity";
import { sentence, type Names } from "./history-words";
import { OpenCard } from "./open-card";
import { cardApiOf, field, option, read } from "./testing";
import { undo } from "../undo";

const fields = [field("w", { name: "Weight", type: "number", unit: "kg" }),
  field("m", { name: "Finish", type: "choices", options: [option("a", "oiled"), option("b", "raw")] }),
  field("d", { name: "Needed", type: "date" }), field("u", { name: "Checked by", type: "user" })];
const names: Names = { person: (id) => `person ${id}`, column: (id) => `column ${id}`, tag: (id) => `tag ${id}`,
  sprint: (id) => `sprint ${id}`, card: (id) => id, field: (id) => fields.find((one) => one.id === id),
  object: (id) => `object ${id}`, day: (iso) => iso.slice(0, 10) };
const row = (kind: HistoryRow["kind"], changes: Record<string, unknown>, at = "2026-01-02"): HistoryRow => ({
  id: kind, sequence: "1", cardId: "c", projectId: "p", kind, occurredAt: at,
  actor: { userId: "u", keyId: null, sessionId: null }, changes: changes as HistoryRow["changes"] });
const comment = (id: string, at: string): Comment =>
  ({ id, cardId: "c", body: id, authorId: "u", authorDisplayName: "U", createdAt: at, updatedAt: at });

test("the history is said in sentences, and what says nothing to people is left out", () => {
  const place = (before: unknown, after: unknown) => ({ team_placement: { before, after } });
  const relationOf = (direction: string | null) => direction && { kind: "blocks", direction, id: "d" };
  const relation = (before: string | null, after: string | null) =>
    ({ relation: { before: relationOf(before), after: relationOf(after) } });
  const item = (before: unknown, after: unknown) => ({ checklist_item: { before, after } });
  const said: [HistoryRow, string | null][] = [
    [row("created", {}), "created this card"],
    [row("assigned", { user_id: { before: null, after: "1" } }), "assigned person 1"],
    [row("untagged", { tag_id: { before: "2", after: null } }), "removed the tag tag 2"],
    [row("moved", place({ status_id: "a" }, { status_id: "b" })), "moved this from column a to column b"],
    [row("moved", place({ status_id: "a", sprint_id: null }, { status_id: "a", sprint_id: "s" })),
      "put this into sprint s"],
    [row("moved", place({ status_id: "a", sprint_id: "s" }, { status_id: "a", sprint_id: null })),
      "took this out of sprint s"],
    [row("moved", place({ status_id: "a" }, { status_id: "a" })), null],
    [row("updated", { effort: { before: 0, after: 5 } }), "set the effort to 5"],
    [row("updated", { deadline: { before: null, after: "2026-02-03T00:00:00Z" } }), "set the due date to 2026-02-03"],
    [row("updated", { description: { before: "", after: "x" } }), "changed the description"],
    [row("updated", { start_date: { before: null, after: "2026-02-03" } }), "set the start to 2026-02-03"],
    [row("updated", { priority: { before: "none", after: "high" } }), "set the priority to High"],
    [row("updated", { type: { before: "task", after: "design review" } }), "set the type to design review"],
    [row("updated", { parent_id: { before: null, after: "d" } }), "put this below d"],
    [row("updated", { parent_id: { before: "d", after: null } }), "took this out of d"],
    [row("linked", { parent: { before: null, after: { id: "d", project_id: "q" } } }), "put this below d"],
    [row("unlinked", { parent: { before: { id: "d", project_id: "q" }, after: null } }), "took this out of d"],
    [row("linked", relation(null, "inward")), "marked this as blocked by d"],
    [row("unlinked", relation("outward", null)), "marked this as no longer blocking d"],
    [row("updated", item(null, { text: "Cut", isDone: false })), "added “Cut” to the checklist"],
    [row("updated", item({ text: "Cut", isDone: false }, { text: "Cut", isDone: true })), "ticked “Cut”"],
    [row("updated", item({ text: "Cut", isDone: true }, { text: "Cut", isDone: false })), "cleared the tick of “Cut”"],
    [row("updated", item({ text: "Cut", isDone: true }, null)), "deleted “Cut” from the checklist"],
    [row("updated", { attachment: { before: null, after: { id: "f", name: "a.csv", size: 9 } } }), "attached a.csv"],
    [row("updated", { attachment: { before: { id: "f", name: "a.csv", size: 9 }, after: null } }),
      "removed the attachment a.csv"],
    [row("updated", { "fields.w": { before: null, after: 2.5 } }), "set Weight to 2.5 kg"],
    [row("updated", { "fields.w": { before: 2.5, after: null }, "fields.m": { before: null, after: ["a", "b"] } }),
      "removed Weight, set Finish to oiled, raw"],
    [row("updated", { "fields.d": { before: null, after: "2026-02-03" } }), "set Needed to 2026-02-03"],
    [row("updated", { "fields.u": { before: null, after: "1" } }), "set Checked by to person 1"],
    [row("updated", { "fields.gone": { before: null, after: "x" } }), "changed a deleted field"],
    [row("commented", { comment: { before: null, after: "x" } }), null],
    [row("commented", { comment: { before: "x", after: null } }), "deleted a comment"],
  ];
  for (const [one, wanted] of said) assert.equal(sentence(one, names), wanted);
});

async function activityOf(comments: () => Comment[], deleted: string[] = []) {
  const api = cardApiOf(() => read("c"), { comments: async () => comments(),
    history: async () => [row("created", {}, "2026-01-01"), row("closed", {}, "2026-01-03")],
    deleteComment: async (_path, id) => { deleted.push(id); } });
  const teamOf = (teamId: string) => ({ orgId: "o", teamId });
  const card = await OpenCard.open({ projectId: "p", cardId: "c" }, { board: null, teamOf }, api);
  return new Activity(card, api);
}

test("comments and history stand in the order of their times", async () => {
  const activity = await activityOf(() => [comment("a", "2026-01-02")]);
  await activity.read();
  assert.deepEqual(activity.entries.value.map(({ id }) => id), ["created", "a", "closed"]);
});

test("a deleted comment is gone at once, stays so over a reading, and comes back by undo", async () => {
  const deleted: string[] = [];
  const activity = await activityOf(() => [comment("a", "2026-01-02")], deleted);
  await activity.read();
  activity.delete(comment("a", "2026-01-02"));
  await activity.read();
  assert.deepEqual(activity.entries.value.map(({ id }) => id), ["created", "closed"]);
  await undo();
  await activity.read();
  assert.deepEqual(activity.entries.value.map(({ id }) => id), ["created", "a", "closed"]);
  assert.deepEqual(deleted, []);
});
