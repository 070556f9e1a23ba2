import assert from "node:assert/strict";
import { test } from "node:test";
import { daysLeft, isLate, isSoon } from "./due";
import { fits } from "./board-filter";
import type { BoardCard } from "../../api/planning/boards";

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
