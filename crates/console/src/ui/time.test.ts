import assert from "node:assert/strict";
import { test } from "node:test";
import { sayDay } from "./calendar";
import { dayOf } from "./time";

declare const process: { env: Record<string, string | undefined> };

/** From the first to the last zone of the earth, with halves of hours and changes of the clocks between. */
const ZONES = ["Pacific/Kiritimati", "Pacific/Auckland", "Asia/Kolkata", "Europe/Berlin", "UTC", "America/St_Johns",
  "America/Los_Angeles", "Pacific/Pago_Pago"];

/** The words in each of the zones; one value if they are the same in all. */
function inAllZones(tell: () => string): string[] {
  const before = process.env.TZ;
  const told = ZONES.map((zone) => {
    process.env.TZ = zone;
    return tell();
  });
  process.env.TZ = before ?? "UTC";
  return [...new Set(told)];
}

test("the zone of these tests is that of the clock", () => {
  assert.ok(inAllZones(() => new Date("2026-11-27T00:00:00Z").toString()).length > 4);
});

test("a due day is the same day everywhere, also at a change of the clocks and of the year", () => {
  const now = new Date("2026-06-15T12:00:00Z");
  for (const day of ["2026-03-29", "2026-10-25", "2026-11-27", "2026-12-31", "2027-01-01"]) {
    const told = inAllZones(() => dayOf(`${day}T00:00:00Z`, now));
    assert.equal(told.length, 1, told.join(", "));
    assert.ok(new RegExp(`\\b${Number(day.slice(8))}\\b`).test(told[0] ?? ""), `${day} is told as ${told[0]}`);
    assert.equal(inAllZones(() => sayDay(day)).length, 1);
  }
});
