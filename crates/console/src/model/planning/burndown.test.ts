import assert from "node:assert/strict";
import { test } from "node:test";
import type { Sprint, SprintReport } from "../../api/planning/sprints";
import { text } from "../../text";
import { courseOf, unitOf } from "./burndown";

const tally = (cards: number) => ({ cards, effort: cards * 3 });
const day = (date: string, scope: number, done: number) =>
  ({ day: `${date}T00:00:00Z`, scope: tally(scope), done: tally(done), remaining: tally(scope - done) });
const sprint = (status = "active") =>
  ({ status, start_date: "2026-11-23T00:00:00Z", end_date: "2026-11-29T23:59:59.999Z" }) as Sprint;
const report = () => ({ as_of: "2026-11-25T12:00:00Z", scope_at_start: { total: tally(4), cards: [] },
  days: [day("2026-11-23", 4, 0), day("2026-11-24", 5, 1), day("2026-11-25", 5, 3)] }) as unknown as SprintReport;
const OPTIONS = { unit: "cards", isUp: false, zone: "UTC" } as const;

test("what remains begins with the scope, and ends at the present", () => {
  const { lines, until, now } = courseOf(sprint(), report(), OPTIONS);
  const points = lines.find(({ kind }) => kind === "course")?.points ?? [];
  assert.deepEqual(points.map(([, value]) => value), [4, 4, 4, 2]);
  assert.equal(points.at(-1)?.[0], Date.parse("2026-11-25T12:00:00Z"));
  assert.equal(until, Date.parse("2026-11-29T23:59:59.999Z"));
  assert.equal(now?.at, Date.parse("2026-11-25T12:00:00Z"));
});

test("burn-up shows what is done, and the ideal goes up", () => {
  const { lines } = courseOf(sprint(), report(), { ...OPTIONS, isUp: true, unit: "effort" });
  assert.deepEqual(lines.find(({ kind }) => kind === "course")?.points.map(([, value]) => value), [0, 0, 3, 9]);
  assert.deepEqual(lines.find(({ kind }) => kind === "ideal")?.points.map(([, value]) => value), [0, 12]);
});

test("changes of the scope are marked, and a completed sprint has no present", () => {
  const { marks, now } = courseOf(sprint("completed"), report(), OPTIONS);
  assert.deepEqual(marks.map(({ value, says }) => [value, says]), [[5, `${text.sprints.columns.scope} 4 → 5`]]);
  assert.equal(now, undefined);
});

test("the table has a row for each day, named by the team's zone", () => {
  const { rows } = courseOf(sprint(), report(), { ...OPTIONS, zone: "Pacific/Auckland" });
  assert.deepEqual(rows[1]?.slice(0, 4), ["Nov 24", "5", "1", "4"]);
});

test("effort counts where anybody estimates", () => {
  assert.equal(unitOf([report()]), "effort");
  assert.equal(unitOf([{ scope_at_start: { total: { cards: 3, effort: 0 } } } as SprintReport]), "cards");
});
