import assert from "node:assert/strict";
import { test } from "node:test";
import type { Sprint } from "../../api/planning/sprints";
import { text } from "../../text";
import { proposeSprint } from "./new-sprint";

const NOW = Date.parse("2026-11-27T12:00:00Z");
const sprint = (name: string, start: string | null = null, end: string | null = null) =>
  ({ name, start_date: start && `${start}T00:00:00Z`, end_date: end && `${end}T23:59:59.999Z` }) as Sprint;

test("the first sprint begins today, for two weeks", () => {
  assert.deepEqual(proposeSprint([], "UTC", NOW),
    { name: `${text.sprints.one} 1`, start: "2026-11-27", end: "2026-12-10" });
});

test("the next sprint follows the last one, as long as it was", () => {
  const all = [sprint("Sprint 9", "2026-11-23", "2026-11-29"), sprint("Sprint 8", "2026-11-16", "2026-11-22")];
  assert.deepEqual(proposeSprint(all, "UTC", NOW), { name: "Sprint 10", start: "2026-11-30", end: "2026-12-06" });
});

test("after a pause a sprint begins today", () => {
  const all = [sprint("Week 09 (gears)", "2026-10-01", "2026-10-14")];
  assert.deepEqual(proposeSprint(all, "UTC", NOW), { name: "Week 10 (gears)", start: "2026-11-27", end: "2026-12-10" });
});

test("a name is proposed that no sprint has, and today is the team's", () => {
  const proposed = proposeSprint([sprint("Harden"), sprint("Sprint 3"), sprint("Sprint 4")], "Pacific/Auckland",
    Date.parse("2026-11-27T11:30:00Z"));
  assert.deepEqual(proposed, { name: "Sprint 5", start: "2026-11-28", end: "2026-12-11" });
});

test("sprints without numbers are counted", () => {
  assert.equal(proposeSprint([sprint("Harden"), sprint("Cut")], "UTC", NOW).name, `${text.sprints.one} 3`);
});
