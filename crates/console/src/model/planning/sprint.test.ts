import assert from "node:assert/strict";
import { test } from "node:test";
import { ApiError } from "../../api/errors";
import type { Sprint, SprintApi, SprintReport } from "../../api/planning/sprints";
import { text } from "../../text";
import { changesOf, checkDays, fieldsOf, SprintModel } from "./sprint";
import { undo } from "../undo";

const sprint = { id: "s", name: "Sprint 1", description: "", status: "planned",
  start_date: "2026-11-22T11:00:00Z", end_date: "2026-12-06T10:59:59.999Z" } as Sprint;
const ZONE = "Pacific/Auckland";

function fake() {
  const asked: unknown[] = [];
  const api: SprintApi = {
    read: async () => sprint,
    report: async () => ({}) as SprintReport,
    change: async (_path, _id, changes) => {
      asked.push(changes);
      return sprint;
    },
    start: async (_path, _id, body) => {
      asked.push(body);
      return sprint;
    },
    complete: async (_path, _id, target) => { asked.push(target); },
  };
  return { model: new SprintModel({ orgId: "o", teamId: "t" }, "s", api), asked, before: fieldsOf(sprint, ZONE) };
}

test("a new name moves no days, and is taken back alone", async () => {
  const { model, asked, before } = fake();
  await model.save(before, { ...before, name: "Gears" });
  assert.deepEqual(asked, [{ name: "Gears" }]);
  await undo();
  assert.deepEqual(asked[1], { name: "Sprint 1" });
});

test("nothing that changed is nothing that is sent", async () => {
  const { model, asked, before } = fake();
  await model.save(before, { ...before });
  assert.deepEqual(asked, []);
});

test("a start with the days as they are sends none", async () => {
  const { model, asked, before } = fake();
  await model.start(before, { start: before.start, end: before.end }, false);
  assert.deepEqual(asked, [{ allowConcurrent: false }]);
  await model.start(before, { start: before.start, end: "2026-12-07" }, true);
  assert.deepEqual(asked[1], { allowConcurrent: true, endDate: "2026-12-07" });
});

test("a day that is removed is cleared", () => {
  const before = fieldsOf(sprint, ZONE);
  assert.deepEqual(changesOf(before, { ...before, end: "" }), { endDate: null });
});

test("an end before the start names its field, in the day of the team", () => {
  try {
    checkDays({ start: "2026-03-09", end: "2026-03-02" });
    assert.ok(false);
  } catch (error) {
    assert.ok(error instanceof ApiError);
    assert.equal(error.say(() => "End"), `End ${text.sprints.notBefore("Mar 9, 2026")}`);
    assert.equal(error.issues[0]?.path, "body.endDate");
  }
  checkDays({ start: "2026-03-09", end: "2026-03-09" });
  checkDays({ start: "", end: "2026-03-09" });
});
