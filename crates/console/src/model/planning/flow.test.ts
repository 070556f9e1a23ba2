import assert from "node:assert/strict";
import { test } from "node:test";
import type { FlowReport } from "../../api/planning/flow";
import { MOST_ROWS, bandsOf, choiceOf, cumulativeFlow, firstDay, tableOf } from "./flow";

const column = (name: string, color: string | null = "#22C55E") =>
  ({ id: name || "gone", name, color, isDeleted: name === "" });
const day = (at: number, columns: number[], done = 0) =>
  ({ day: `2026-11-${String(at).padStart(2, "0")}`, open: 4, closed: 7, created: 1, done, columns });
const times = { cards: 0, p50: null, p85: null, p95: null, mean: null };
const report = (fields: Partial<FlowReport> = {}): FlowReport => ({
  from: "2026-11-01", to: "2026-11-02", timeZone: "UTC", asOf: "2026-11-02T12:00:00Z",
  columns: [column("To do"), column("Doing"), column("Done"), column("", null)],
  days: [day(1, [5, 1, 0, 2], 1), day(2, [4, 0, 3, 0], 2)],
  leadTime: times, cycleTime: times, throughput: [], ...fields,
});

test("the project and the period of an address are taken if they are known", () => {
  const [gear, shaft] = [{ id: "g", name: "Gear" }, { id: "s", name: "Shaft" }];
  const of = (search: string) => choiceOf(new URLSearchParams(search), [gear, shaft]);
  assert.deepEqual(of(""), { project: gear, days: 90 });
  assert.deepEqual(of("project=s&days=365"), { project: shaft, days: 365 });
  assert.deepEqual(of("project=other&days=36500"), { project: gear, days: 90 });
  assert.equal(choiceOf(new URLSearchParams(), []).project, undefined);
});

test("a period ends with the present day of the team's zone", () => {
  const now = Date.parse("2026-03-01T20:00:00Z");
  assert.equal(firstDay(30, "UTC", now), "2026-01-31");
  assert.equal(firstDay(30, "Asia/Tokyo", now), "2026-02-01");
});

test("columns stand on each other, the last one at the bottom and deleted ones on top", () => {
  const bands = bandsOf(report());
  assert.deepEqual(bands.map(({ name }) => name), ["Done", "Doing", "To do", "Deleted column"]);
  assert.deepEqual(bands.map(({ points }) => points.map(([, low, high]) => [low, high])), [
    [[0, 0], [0, 3]],
    [[0, 1], [3, 3]],
    [[1, 6], [3, 7]],
    [[6, 8], [7, 7]],
  ]);
  assert.equal(bands.at(-1)?.color, "#808080");
});

test("closed cards are added up from the first day, and the description tells the last one", () => {
  const flow = cumulativeFlow(report());
  assert.deepEqual(flow.lines[0]?.points.map(([, value]) => value), [1, 3]);
  assert.ok(flow.description.endsWith(
    "from Nov 1, 2026 to Nov 2, 2026. Now: To do 4, Done 3. Closed since Nov 1, 2026: 3."));
  assert.equal(flow.readouts[0]?.says,
    "Nov 1 · To do 5 · Doing 1 · Deleted column 2 · Closed since Nov 1, 2026 1");
});

test("the description of a board without cards says so", () => {
  const empty = cumulativeFlow(report({ days: [day(1, [0, 0, 0, 0]), day(2, [0, 0, 0, 0])] }));
  assert.ok(empty.description.includes("Now: no cards."));
});

test("the table has the latest days, the last one first", () => {
  const { heads, rows } = tableOf(report());
  assert.deepEqual(heads,
    ["Day", "To do", "Doing", "Done", "Deleted column", "Open in the project", "Closed in the project",
      "Created", "Closed on the day"]);
  assert.deepEqual(rows[0], ["Nov 2, 2026", "4", "0", "3", "0", "4", "7", "1", "2"]);
  const days = Array.from({ length: MOST_ROWS + 5 }, (_, at) => day(at, []));
  assert.equal(tableOf(report({ columns: [], days })).rows.length, MOST_ROWS);
});
