import assert from "node:assert/strict";
import { test } from "node:test";
import { addDays, addMonths, daysBetween, parseDay, weeksOf } from "./calendar";

test("days are added over months, leap days and changes of the clocks", () => {
  assert.equal(addDays("2028-02-28", 1), "2028-02-29");
  assert.equal(addDays("2026-10-24", 2), "2026-10-26");
  assert.equal(addDays("2026-01-01", -1), "2025-12-31");
  assert.equal(daysBetween("2026-03-28", "2026-03-30"), 2);
});

test("the 31st of a shorter month is its last day", () => {
  assert.equal(addMonths("2026-01-31", 1), "2026-02-28");
  assert.equal(addMonths("2026-01-15", -2), "2025-11-15");
  assert.equal(addMonths("2026-12-31", 2), "2027-02-28");
});

test("a month is shown in whole weeks, which begin where the person's do", () => {
  const monday = weeksOf("2026-11-27", 1);
  assert.equal(monday[0]?.[0], "2026-10-26");
  assert.equal(monday.at(-1)?.at(-1), "2026-12-06");
  assert.equal(weeksOf("2026-11-27", 7)[0]?.[0], "2026-11-01");
  assert.equal(weeksOf("2026-02-10", 7).length, 4);
});

test("days are typed as people write them", () => {
  const now = "2026-11-27";
  for (const [typed, locale, day] of [
    ["2026-3-9", "en-US", "2026-03-09"],
    ["3/9/2026", "en-US", "2026-03-09"],
    ["9/3/2026", "en-GB", "2026-03-09"],
    ["9.3.26", "en-US", "2026-03-09"],
    ["Mar 9, 2026", "en-US", "2026-03-09"],
    ["9 mar", "en-US", "2027-03-09"],
    ["28 nov", "en-US", "2026-11-28"],
    ["27. November", "de-DE", "2026-11-27"],
  ] as const) assert.equal(parseDay(typed, now, locale), day, typed);
});

test("what the calendar lacks is not taken for a day", () => {
  for (const typed of ["", "soon", "2026-02-30", "13/13/2026", "1", "1 2 3 4"]) {
    assert.equal(parseDay(typed, "2026-11-27", "en-US"), null, typed);
  }
});
