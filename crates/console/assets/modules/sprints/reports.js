// A team's reports: the velocity of its last sprints, and the flow of the active one.

import { get } from "../../api/client.js";
import { text } from "../../text.js";
import { burndown } from "../../ui/burndown.js";
import { h, icon } from "../../ui/dom.js";
import { steps, svg, tableOf } from "../../ui/svg.js";
import { teamPage } from "../../ui/team.js";

const SPRINTS = 10;
const [WIDTH, HEIGHT, LEFT, BOTTOM, TOP] = [720, 260, 40, 28, 12];

/** @type {import("../../router.js").Opener} */
export async function openReports({ org, team: id }) {
  const { path, view } = await teamPage(org, id, "/reports", text.reports.title);
  const [completed, active] = await Promise.all([get(`${path}/sprints?status=completed&limit=${SPRINTS}`),
    get(`${path}/sprints?status=active&limit=1`)]);
  const told = (/** @type {any} */ sprint) => get(`${path}/sprints/${sprint.id}/report`).then(({ report }) => ({ sprint, report }));
  const [done, [running]] = await Promise.all([Promise.all(completed.sprints.reverse().map(told)), Promise.all(active.sprints.map(told))]);
  return {
    ...view,
    content: h("div", { class: "page" }, h("h1", {}, text.reports.title),
      h("section", { "aria-labelledby": "velocity" }, h("h2", { id: "velocity" }, text.reports.velocity),
        done.length === 0 ? h("div", { class: "empty" }, icon("chart"), h("p", {}, text.reports.empty),
          h("a", { class: "button primary", href: `${path}/sprints` }, text.sprints.title)) : velocity(done)),
      running && running.report.days.length > 0 ? h("section", { "aria-labelledby": "flow" }, h("h2", { id: "flow" }, text.reports.flow),
        burndown({ days: running.report.days, start: running.sprint.start_date, end: running.sprint.end_date,
          first: running.report.scope_at_start.total, unit: unitOf([running]), up: true, now: Date.parse(running.report.as_of) })) : null),
  };
}

/** Effort where anybody estimates, else cards. @param {any[]} told @returns {"effort" | "cards"} */
function unitOf(told) {
  return told.some(({ report }) => report.scope_at_start.total.effort > 0) ? "effort" : "cards";
}

/** @param {any[]} told */
function velocity(told) {
  const unit = unitOf(told);
  const rows = told.map(({ sprint, report }) => ({ name: sprint.name, planned: report.scope_at_start.total[unit], done: report.done.total[unit] }));
  const average = rows.reduce((sum, row) => sum + row.done, 0) / rows.length;
  const said = text.reports.average(average.toLocaleString(undefined, { maximumFractionDigits: 1 }));
  const marks = steps(Math.max(...rows.flatMap((row) => [row.planned, row.done])));
  const most = marks.at(-1) ?? 1;
  const y = (/** @type {number} */ value) => TOP + (1 - value / most) * (HEIGHT - TOP - BOTTOM);
  const width = (WIDTH - LEFT) / Math.max(rows.length, 4);
  const bar = Math.min(36, width / 3);
  const cut = Math.max(4, Math.floor(width / 8));
  const drawing = svg("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, class: "chart", role: "img", "aria-label": `${text.reports.velocity}. ${said}` },
    ...marks.flatMap((value) => [svg("line", { class: "grid", x1: LEFT, x2: WIDTH, y1: y(value), y2: y(value) }),
      svg("text", { x: LEFT - 8, y: y(value) + 4, "text-anchor": "end" }, String(value))]),
    ...rows.flatMap((row, at) => {
      const middle = LEFT + width * (at + 0.5);
      const letters = [...row.name];
      return [svg("rect", { class: "bar planned", x: middle - bar - 1, y: y(row.planned), width: bar, height: y(0) - y(row.planned), rx: 2 }),
        svg("rect", { class: "bar", x: middle + 1, y: y(row.done), width: bar, height: y(0) - y(row.done), rx: 2 }),
        svg("text", { x: middle, y: HEIGHT - 8, "text-anchor": "middle" }, letters.length > cut ? `${letters.slice(0, cut - 1).join("")}…` : row.name)];
    }),
    svg("line", { class: "ideal", x1: LEFT, x2: WIDTH, y1: y(average), y2: y(average) }));
  return h("figure", { class: "burndown" }, h("p", { class: "soft" }, `${text.reports.lead} ${said}`), drawing,
    h("figcaption", { class: "legend" }, h("span", { class: "key planned" }, text.reports.planned), h("span", { class: "key done" }, text.reports.done)),
    h("details", {}, h("summary", {}, text.sprints.asTable), tableOf(text.reports.velocity,
      [text.reports.sprint, text.reports.planned, text.reports.done], rows.map((row) => [row.name, row.planned, row.done]), h)));
}
