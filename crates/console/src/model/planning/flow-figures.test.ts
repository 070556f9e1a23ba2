import assert from "node:assert/strict";
import { test } from "node:test";
import type { FlowReport } from "../../api/planning/flow";
import { figuresOf, oldestOf, sayDuration, throughputOf } from "./flow-figures";

const [HOUR, DAY] = [3600, 86_400];
const none = { cards: 0, p50: null, p85: null, p95: null, mean: null };
const weeks = [["2026-11-02", 1], ["2026-11-09", 2], ["2026-11-16", 5], ["2026-11-23", 9]] as const;
const report = (fields: Partial<FlowReport> = {}): FlowReport => ({
  from: "2026-11-04", to: "2026-11-28", timeZone: "Asia/Tokyo", asOf: "2026-11-28T12:00:00Z", columns: [], days: [],
  leadTime: { cards: 17, p50: 3 * DAY + 4 * HOUR, p85: 5 * DAY, p95: 9 * DAY + 59, mean: DAY }, cycleTime: none,
  throughput: weeks.map(([week, cards]) => ({ week, cards, effort: cards * 3 })), ...fields,
});

test("durations have their two largest units", () => {
  const said = [0, 59, 60, HOUR - 1, HOUR, 26 * HOUR + 599, 3 * DAY + 4 * HOUR + 1800, DAY + 1800, 1234 * DAY];
  assert.deepEqual(said.map(sayDuration), ["less than 1 min", "less than 1 min", "1 min", "59 min", "1 h", "1 day 2 h",
    "3 days 4 h", "1 day", "1,234 days"]);
});

test("only weeks that are over and within the period are whole", () => {
  const { weeks: all, last, mean } = throughputOf(report());
  assert.deepEqual(all.map(({ name, isWhole }) => [name, isWhole]),
    [["Nov 2", false], ["Nov 9", true], ["Nov 16", true], ["Nov 23", false]]);
  assert.equal(last?.cards, 5);
  assert.deepEqual(mean, { cards: 3.5, effort: 10.5, weeks: 2 });
  // A Sunday is over on the day after it.
  assert.equal(throughputOf(report({ to: "2026-11-29" })).last?.week, "2026-11-16");
  assert.equal(throughputOf(report({ to: "2026-11-30" })).last?.week, "2026-11-23");
});

test("a period without a whole week has a mean of nothing", () => {
  assert.deepEqual(throughputOf(report({ throughput: [] })).mean, { cards: 0, effort: 0, weeks: 0 });
});

test("figures tell times by percentiles, and weeks beside their mean", () => {
  const [lead, cycle, cards, effort] = figuresOf(report());
  assert.equal(lead?.value, "3 days 4 h");
  assert.equal(lead?.more, "85% within 5 days, 95% within 9 days");
  assert.deepEqual([cycle?.value, cycle?.more], ["–", "No card was in progress before it was done"]);
  assert.deepEqual([cards?.value, cards?.more], ["5", "3.5 on average, over 2 full weeks"]);
  assert.deepEqual([effort?.value, effort?.more], ["15", "10.5 on average, over 2 full weeks"]);
  assert.deepEqual(figuresOf(report({ leadTime: none })), []);
});

test("the oldest cards are a part of those in progress, with days of the team", () => {
  const card = (at: number) => ({ cardId: `c${at}`, key: at === 0 ? null : `GEAR-${at}`, name: `Card ${at}`,
    since: "2026-11-20T16:00:00Z", seconds: 7 * DAY + 20 * HOUR });
  const { cards, total } =
    oldestOf(report({ inProgress: { total: 57, cards: Array.from({ length: 50 }, (_, at) => card(at)) } }), "p");
  assert.equal(total, 57);
  assert.equal(cards.length, 20);
  assert.deepEqual(cards[1], { id: "c1", key: "GEAR-1", name: "Card 1", href: "/projects/p/cards/GEAR-1",
    since: "Nov 21, 2026", age: "7 days 20 h" });
  assert.equal(cards[0]?.href, "/projects/p/cards/c0");
  assert.deepEqual(oldestOf(report(), "p"), { cards: [], total: 0 });
});
