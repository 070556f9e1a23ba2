// The course of a sprint as a drawing, with the numbers behind it as a table.

import { text } from "../text.js";
import { dayOf, dayZone } from "./days.js";
import { h } from "./dom.js";
import { steps, svg, tableOf } from "./svg.js";

/**
 * @typedef {{ cards: number, effort: number }} Tally
 * @typedef {{ day: string, scope: Tally, done: Tally, remaining: Tally }} Day
 * @typedef {{ days: Day[], start: string, end: string, first: Tally, unit: "cards" | "effort", up: boolean, now: number,
 *   isOver?: boolean }} Options `isOver` is for a completed sprint, which has no present day
 */

const [WIDTH, HEIGHT, LEFT, BOTTOM, TOP, RIGHT] = [720, 280, 40, 28, 12, 12];
const DAY_MS = 86_400_000;

/** @param {Options} options */
export function burndown({ days, start, end, first, unit, up, now, isOver = false }) {
  const kind = up ? text.sprints.burnup : text.sprints.burndown;
  const from = Date.parse(days[0]?.day ?? start);
  // Values are those of the ends of days.
  const moments = [from, ...days.map(({ day }) => Math.min(Date.parse(day) + DAY_MS, Math.max(now, from)))];
  const until = Math.max(Date.parse(end), moments.at(-1) ?? from, from + DAY_MS);
  const scope = [first[unit], ...days.map((day) => day.scope[unit])];
  const done = [0, ...days.map((day) => day.done[unit])];
  const remaining = [first[unit], ...days.map((day) => day.remaining[unit])];
  const course = up ? done : remaining;
  const marks = steps(Math.max(...scope, ...course));
  const most = marks.at(-1) ?? 1;
  const x = (/** @type {number} */ at) => LEFT + ((at - from) / (until - from)) * (WIDTH - LEFT - RIGHT);
  const y = (/** @type {number} */ value) => TOP + (1 - value / most) * (HEIGHT - TOP - BOTTOM);
  const ideal = (/** @type {number} */ at) => {
    const part = Math.max(0, Math.min(1, (at - from) / Math.max(1, Date.parse(end) - from)));
    return first[unit] * (up ? part : 1 - part);
  };
  const date = (/** @type {number} */ at) => dayOf(at, {});
  const line = (/** @type {number[]} */ values) => values.map((value, at) => `${x(moments[at]).toFixed(1)},${y(value).toFixed(1)}`).join(" ");
  const labels = Math.max(1, Math.ceil((until - from) / DAY_MS / 7));
  const ticks = Array.from({ length: Math.floor((until - from) / DAY_MS / labels) + 1 }, (_, at) => from + at * labels * DAY_MS);
  const drawing = svg("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, class: "chart", role: "img",
    "aria-label": text.sprints.said(kind, date(from), date(until), course.at(-1) ?? 0) },
  ...marks.flatMap((value) => [svg("line", { class: "grid", x1: LEFT, x2: WIDTH - RIGHT, y1: y(value), y2: y(value) }),
    svg("text", { x: LEFT - 8, y: y(value) + 4, "text-anchor": "end" }, String(value))]),
  ...ticks.map((at) => svg("text", { x: x(at), y: HEIGHT - 8, "text-anchor": "middle" }, date(at))),
  svg("line", { class: "ideal", x1: x(from), y1: y(ideal(from)), x2: x(Date.parse(end)), y2: y(ideal(Date.parse(end))) }),
  svg("polyline", { class: "scope", points: line(scope) }),
  svg("polygon", { class: "area", points: `${x(from)},${y(0)} ${line(course)} ${x(moments.at(-1) ?? from)},${y(0)}` }),
  svg("polyline", { class: "course", points: line(course) }),
  // Where the scope changed.
  ...scope.flatMap((value, at) => (at > 0 && value !== scope[at - 1]
    ? [svg("circle", { class: "changed", cx: x(moments[at]), cy: y(value), r: 4 }, svg("title", {}, `${text.sprints.columns.scope} ${scope[at - 1]} → ${value}`))] : [])),
  ...(!isOver && now >= from && now <= until ? [svg("line", { class: "today", x1: x(now), x2: x(now), y1: TOP, y2: HEIGHT - BOTTOM }),
    svg("text", { class: "today-name", x: Math.min(x(now) + 4, WIDTH - 40), y: HEIGHT - BOTTOM - 6 }, text.sprints.today)] : []));
  const { columns } = text.sprints;
  const rows = days.map((day, at) => [date(Date.parse(day.day)), day.scope[unit], day.done[unit], day.remaining[unit],
    ideal(moments[at + 1]).toLocaleString(undefined, { maximumFractionDigits: 1 })]);
  return h("figure", { class: "burndown" }, drawing,
    h("figcaption", { class: "legend" }, [["course", up ? columns.done : columns.remaining], ["scope", columns.scope], ["ideal", columns.ideal]]
      .map(([shape, name]) => h("span", { class: `key ${shape}` }, name)),
    dayZone().isOther ? h("span", { class: "soft" }, text.sprints.chartZone(dayZone().zone)) : null),
    h("details", {}, h("summary", {}, text.sprints.asTable),
      tableOf(kind, [columns.day, columns.scope, columns.done, columns.remaining, columns.ideal], rows, h)));
}
