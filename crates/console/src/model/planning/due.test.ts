import assert from "node:assert/strict";
import { test } from "node:test";
import { daysLeft, isLate, isSoon, today } from "./due";
import { fits } from "./board-filter";
import type { BoardCard } from "../../api/planning/boards";

declare const process: { env: Record<string, string | undefined> };

const due = (deadline: string | null, isOpen = true) => ({ is_open: isOpen, deadline }) as BoardCard;
const DAY = "2026-11-27";

test("a card is late from the day after its due day, unless it is done", () => {
  assert.equal(isLate(due("2026-11-27T00:00:00Z"), DAY), false);
  assert.equal(isLate(due("2026-11-26T00:00:00Z"), DAY), true);
  assert.equal(isLate(due("2026-11-26T00:00:00Z", false), DAY), false);
});

test("days are counted over a change of the clocks", () => {
  assert.equal(daysLeft("2026-10-26T00:00:00Z", "2026-10-24"), 2);
});

test("the filters agree with the mark, and no card is both late and soon", () => {
  for (const [deadline, filter] of [["2026-11-26", "late"], ["2026-11-27", "week"], ["2026-12-04", "week"]] as const) {
    const card = { ...due(deadline), assignees: [], tags: [], name: "", sprint_id: null } as unknown as BoardCard;
    assert.equal(fits(card, { due: filter }, { day: DAY }), true, deadline);
    assert.equal(isLate(card, DAY), filter === "late");
    assert.equal(isSoon(card, DAY), filter === "week");
  }
});

test("today is the person's own day, and not that of UTC", () => {
  const before = process.env.TZ;
  const dayThere = (zone: string, at: string) => {
    process.env.TZ = zone;
    return today(new Date(at));
  };
  assert.equal(dayThere("Pacific/Kiritimati", "2026-11-27T10:00:00Z"), "2026-11-28");
  assert.equal(dayThere("Pacific/Pago_Pago", "2026-11-27T10:59:59Z"), "2026-11-26");
  // At the change of the clocks, one hour comes twice and its day once.
  assert.equal(dayThere("Europe/Berlin", "2026-10-24T22:00:00Z"), "2026-10-25");
  assert.equal(dayThere("Europe/Berlin", "2026-10-25T22:59:59Z"), "2026-10-25");
  process.env.TZ = before ?? "UTC";
});
