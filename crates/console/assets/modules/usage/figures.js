// A report as figures, a chart and a table.

import { hasPage } from "../../router.js";
import { text } from "../../text.js";
import { barChart } from "../../ui/chart.js";
import { h, moment } from "../../ui/dom.js";
import { columnsOf } from "./reports.js";

/**
 * @typedef {import("./reports.js").Report} Report
 * @typedef {import("./reports.js").Period} Period
 */

const DAY_MS = 86_400_000;
const MOST_BARS = 92;
const number = new Intl.NumberFormat(undefined, { maximumFractionDigits: 6 });

/** @param {Report} report @param {Period} period @param {(group: any) => string | undefined} link */
export function figures(report, period, link) {
  if (report.totals.eventCount === 0) return h("div", { class: "empty" }, h("p", {}, text.usage.empty));
  const say = (/** @type {number} */ value) => number.format(value);
  const columns = columnsOf(period.by);
  const bars = period.by === "day" ? days(report, period) : report.groups.slice(0, MOST_BARS);
  return h("div", { class: "form" },
    h("dl", { class: "figures" }, figure(text.usage.credits, say(report.totals.credits)),
      figure(text.usage.events, say(report.totals.eventCount)),
      figure(text.usage.input, say(report.totals.promptTokens)),
      figure(text.usage.output, say(report.totals.completionTokens))),
    h("h2", {}, text.usage.chart(text.usage.groups[period.by] ?? "")),
    h("div", {}, barChart(bars.map(({ name, credits }) => ({ name, value: credits })), say)),
    h("div", { class: "scrolled", tabindex: "0", role: "group", "aria-label": text.usage.table },
      h("table", { class: "figures-table" },
        h("caption", { class: "unseen" }, text.usage.table),
        h("thead", {}, h("tr", {}, [text.usage.groups[period.by] ?? "", ...columns.map(([, head]) => head)]
          .map((name) => h("th", { scope: "col" }, name)))),
        h("tbody", {}, report.groups.map((group) => h("tr", {}, h("th", { scope: "row", dir: "auto" }, entry(group, link)),
          columns.map(([name]) => h("td", {}, group[name] === undefined ? "" : say(Number(group[name]))))))))),
    period.by === "card" ? h("p", { class: "soft" }, text.usage.cardsHelp) : null,
    report.asOf ? h("p", { class: "soft" }, text.usage.asOf, " ", moment(report.asOf)) : null);
}

/** @param {any} group @param {(group: any) => string | undefined} link */
function entry(group, link) {
  const href = link(group);
  return href && hasPage(href) ? h("a", { href }, group.name) : group.name;
}

/** @param {string} name @param {string} value */
function figure(name, value) {
  return h("div", {}, h("dt", {}, name), h("dd", {}, value));
}

/** Every day of the period, so that a day without usage is a gap. @param {Report} report @param {Period} period */
function days(report, { from, to }) {
  const known = new Map(report.groups.map((group) => [group.name, group.credits]));
  const all = [];
  for (let at = Date.parse(from); at <= Date.parse(to) && all.length < MOST_BARS; at += DAY_MS) {
    const name = new Date(at).toISOString().slice(0, 10);
    all.push({ name, credits: known.get(name) ?? 0 });
  }
  return all;
}
