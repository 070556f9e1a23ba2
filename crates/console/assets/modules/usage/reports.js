// Reports of usage. An organization's is the sum of its projects', since the service reports by project.

import { all, get } from "../../api/client.js";
import { text } from "../../text.js";

/**
 * @typedef {{ from: string, to: string, by: string }} Period
 * @typedef {{ name: string, credits: number, promptTokens: number, completionTokens: number, eventCount: number,
 *   projectId?: string, sessionId?: string, day?: string, cardId?: string, runCount?: number }} Group
 * @typedef {{ totals: any, groups: Group[], asOf: string | null }} Report
 */

const AT_ONCE = 4;
const SUMS = /** @type {const} */ (["credits", "promptTokens", "completionTokens", "eventCount"]);

/** @param {string} path @param {Period} period */
function read(path, { from, to, by }) {
  return get(`${path}?${new URLSearchParams({ from, to, groupBy: by })}`);
}

/** @param {string} project @param {Period} period @returns {Promise<Report>} */
export async function projectReport(project, period) {
  if (period.by === "card") return cardsReport(project, period);
  const report = await read(`/projects/${project}/usage`, period);
  return { ...report, groups: report.groups.map((/** @type {any} */ group) => named(group, new Map())) };
}

/** A project's cards by their shares of runs, and what no card has a share of. @param {string} project @param {Period} period */
async function cardsReport(project, { from, to }) {
  const period = new URLSearchParams({ from, to });
  const path = `/projects/${project}/usage/cards?${period}`;
  const [report, { otherCredits }, cards] = await Promise.all([get(`/projects/${project}/usage?${period}`),
    get(`${path}&limit=1`), all(path, "cards")]);
  const groups = cards.map((card) => ({ ...card, name: card.name ?? text.usage.deletedCard,
    cardId: card.name === null ? undefined : card.cardId }));
  if (otherCredits > 0) groups.push({ name: text.usage.noCard, credits: otherCredits });
  return { ...report, groups };
}

/** @param {Period} period @returns {Promise<Report>} */
export async function accountReport(period) {
  const [report, projects] = await Promise.all([read("/usage", period),
    period.by === "project" ? all("/projects", "projects") : []]);
  const names = new Map(projects.map((one) => [one.id, one.name]));
  return { ...report, groups: report.groups.map((/** @type {any} */ group) => named(group, names)) };
}

/** @param {string} org @param {Period} period @returns {Promise<Report>} */
export async function organizationReport(org, period) {
  const projects = await all(`/projects?ownerId=${org}`, "projects");
  /** @type {Map<string, Group>} */
  const groups = new Map();
  const totals = { credits: 0, promptTokens: 0, completionTokens: 0, eventCount: 0 };
  let asOf = null;
  for (let at = 0; at < projects.length; at += AT_ONCE) {
    const some = projects.slice(at, at + AT_ONCE);
    const by = period.by === "project" ? "model" : period.by;
    const reports = await Promise.all(some.map((one) => read(`/projects/${one.id}/usage`, { ...period, by })));
    for (const [place, report] of reports.entries()) {
      asOf = report.asOf && (!asOf || report.asOf > asOf) ? report.asOf : asOf;
      const project = some[place];
      const parts = period.by === "project" ? [{ ...report.totals, projectId: project.id, name: project.name }]
        : report.groups.map((/** @type {any} */ group) => named(group, new Map()));
      for (const part of parts.filter((/** @type {Group} */ one) => one.eventCount > 0)) add(groups, part);
      for (const sum of SUMS) totals[sum] += report.totals[sum];
    }
  }
  const sorted = [...groups.values()].sort((one, other) =>
    period.by === "day" ? one.name.localeCompare(other.name) : other.credits - one.credits);
  return { totals, groups: sorted, asOf };
}

/** @param {Map<string, Group>} groups @param {Group} part */
function add(groups, part) {
  const key = part.projectId ?? part.name;
  const sum = groups.get(key);
  if (!sum) return void groups.set(key, { ...part });
  for (const name of SUMS) sum[name] += part[name];
}

/** The columns of a grouping, each with its head. @param {string} by @returns {[keyof Group, string][]} */
export function columnsOf(by) {
  if (by === "card") return [["credits", text.usage.credits], ["runCount", text.usage.runs]];
  return [["credits", text.usage.credits], ["eventCount", text.usage.events], ["promptTokens", text.usage.input],
    ["completionTokens", text.usage.output]];
}

/** @param {any} group @param {Map<string, string>} names @returns {Group} */
function named(group, names) {
  const name = group.day?.slice(0, 10) ?? names.get(group.projectId)
    ?? (group.model === undefined ? undefined : `${group.provider} ${group.model}`);
  return { ...group, name: name ?? String(group.projectId ?? group.sessionId).slice(0, 8) };
}

/** A report as a table for spreadsheets. @param {Report} report @param {string} by */
export function csv(report, by) {
  const columns = columnsOf(by).map(([name]) => name);
  // A text that a spreadsheet would calculate begins with an apostrophe.
  const cell = (/** @type {string} */ said) => `"${(/^[=+\-@\t\r]/.test(said) ? `'${said}` : said).replaceAll('"', '""')}"`;
  const lines = report.groups.map((group) => [cell(group.name), ...columns.map((name) => group[name] ?? "")].join(","));
  return new Blob([[`${by},${columns.join(",")}`, ...lines, ""].join("\r\n")], { type: "text/csv" });
}
