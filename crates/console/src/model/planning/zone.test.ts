import assert from "node:assert/strict";
import { test } from "node:test";
import { text } from "../../text";
import { dayIn, daysOf, periodOf } from "./zone";

declare const process: { env: Record<string, string | undefined> };

test("an instant is another day in another zone", () => {
  assert.equal(dayIn("Pacific/Auckland", "2026-11-26T11:00:00Z"), "2026-11-27");
  assert.equal(dayIn("America/New_York", "2026-11-27T04:59:59Z"), "2026-11-26");
  assert.equal(dayIn("UTC", "2026-11-27T23:59:59.999Z"), "2026-11-27");
});

test("a sprint has the days of its team, wherever one looks from", () => {
  const sprint = { start_date: "2026-11-22T11:00:00Z", end_date: "2026-12-06T10:59:59.999Z" };
  assert.deepEqual(daysOf(sprint, "Pacific/Auckland"), { start: "2026-11-23", end: "2026-12-06" });
  const before = process.env.TZ;
  const seen = ["America/Los_Angeles", "Asia/Tokyo", "UTC"].map((zone) => {
    process.env.TZ = zone;
    return periodOf(sprint, "Pacific/Auckland");
  });
  process.env.TZ = before ?? "UTC";
  assert.equal(new Set(seen).size, 1);
});

test("an undecided end makes no period", () => {
  assert.equal(periodOf({ start_date: "2026-11-22T00:00:00Z", end_date: null }, "UTC"), text.sprints.undated);
});
