// Reads a calendar by ical.js, and writes what it found as JSON.

import { readFileSync } from "node:fs";
import ICAL from "ical.js";

const calendar = new ICAL.Component(ICAL.parse(readFileSync(process.argv[2], "utf8")));

function shown(time) {
  if (!time) return null;
  if (time.isDate) return time.toString();
  if (time.zone !== ICAL.Timezone.utcTimezone) throw new Error(`${time} is not in UTC`);
  return time.toJSDate().toISOString().replace(".000Z", "Z");
}

const entries = calendar.getAllSubcomponents("vevent").map((event) => {
  const value = (name) => event.getFirstPropertyValue(name);
  const texts = ["uid", "summary", "description", "url"].map((name) => [name, value(name)]);
  return { ...Object.fromEntries(texts), start: shown(value("dtstart")), end: shown(value("dtend")) };
});
// It leaves a text escaped in properties that it doesn't know.
const name = calendar.getFirstPropertyValue("name").replace(/\\([\\,;])/g, "$1");
console.log(JSON.stringify([{ by: "ical.js", name, entries }]));
