// What agents cost: of a project, an organization and an account, in a period, by day, model, project, session or card.

import { get } from "../../api/client.js";
import { table } from "../../api/table.js";
import { open } from "../../router.js";
import { text } from "../../text.js";
import { field } from "../../ui/dialog.js";
import { button, h } from "../../ui/dom.js";
import { accountPlaces, organizationPlaces } from "../../ui/people-places.js";
import { projectPlaces } from "../../ui/places.js";
import { reason } from "../../ui/person.js";
import { selectField } from "../../ui/select-field.js";
import { toast } from "../../ui/toast.js";
import { figures } from "./figures.js";
import { accountReport, csv, organizationReport, projectReport } from "./reports.js";

/**
 * @typedef {import("./reports.js").Period} Period
 * @typedef {import("./reports.js").Report} Report
 * @typedef {{ groups: string[], report: (period: Period) => Promise<Report>, path?: string,
 *   crumbs: import("../../router.js").Crumb[], navigation: Node, link: (group: any) => string | undefined }} Source
 */

const DAYS = 30;
const DAY_MS = 86_400_000;

/** @type {import("../../router.js").Opener} */
export async function openProjectUsage({ project: id }, search) {
  const { project } = await get(`/projects/${id}`);
  return page(search, {
    groups: ["day", "model", "session", "card"],
    report: (period) => projectReport(id, period),
    path: `/projects/${id}/usage`,
    ...(await projectPlaces(project, "/usage")),
    link: (group) => group.cardId ? `/projects/${id}/cards/${group.cardId}`
      : group.sessionId ? `/projects/${id}/sessions/${group.sessionId}` : undefined,
  });
}

/** @type {import("../../router.js").Opener} */
export async function openOrganizationUsage({ org: id }, search) {
  const { organization } = await get(`/orgs/${id}`);
  return page(search, {
    groups: ["day", "model", "project"],
    report: (period) => organizationReport(id, period),
    ...organizationPlaces(organization, `/orgs/${id}/usage`),
    link: (group) => group.projectId ? `/projects/${group.projectId}/usage` : undefined,
  });
}

/** @type {import("../../router.js").Opener} */
export function openAccountUsage(_, search) {
  return page(search, {
    groups: ["day", "model", "project"],
    report: accountReport,
    path: "/usage",
    crumbs: [{ name: text.account.title, href: "/account" }],
    navigation: accountPlaces("/account/usage"),
    link: (group) => group.projectId ? `/projects/${group.projectId}/usage` : undefined,
  });
}

/** @param {URLSearchParams} search @param {Source} source @returns {Promise<import("../../router.js").View>} */
async function page(search, source) {
  const period = periodOf(search, source.groups);
  const report = await source.report(period);
  const form = h("form", { class: "periods" },
    field({ label: text.usage.from, name: "from", type: "date", value: period.from }),
    field({ label: text.usage.to, name: "to", type: "date", value: period.to }),
    selectField({ label: text.usage.by, name: "by", value: period.by,
      options: source.groups.map((group) => [group, text.usage.groups[group]]) }),
    button({ name: text.usage.show, type: "submit" }),
    button({ name: text.usage.csv, icon: "download", onclick: () =>
      void save(source, period, report).catch((error) => toast(reason(error), { bad: true })) }));
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const said = new FormData(form);
    const wanted = new URLSearchParams();
    for (const name of ["from", "to", "by"]) wanted.set(name, String(said.get(name)));
    open(`${location.pathname}?${wanted}`);
  });
  return {
    title: `${text.usage.title} · ${source.crumbs.at(-1)?.name}`,
    crumbs: [...source.crumbs, { name: text.usage.title }],
    navigation: source.navigation,
    content: h("div", { class: "page" }, h("h1", {}, text.usage.title), form, figures(report, period, source.link)),
  };
}

/** The period and the grouping in the address. @param {URLSearchParams} search @param {string[]} groups */
function periodOf(search, groups) {
  const day = (/** @type {number} */ at) => new Date(at).toISOString().slice(0, 10);
  const given = (/** @type {string} */ name) => {
    const date = search.get(name) ?? "";
    return /^\d{4}-\d\d-\d\d$/.test(date) ? date : undefined;
  };
  const by = search.get("by") ?? "";
  return { from: given("from") ?? day(Date.now() - (DAYS - 1) * DAY_MS), to: given("to") ?? day(Date.now()),
    by: groups.includes(by) ? by : "day" };
}

/** @param {Source} source @param {Period} period @param {Report} report */
async function save(source, period, report) {
  const search = new URLSearchParams({ from: period.from, to: period.to, groupBy: period.by, format: "csv" });
  const blob = source.path && period.by !== "card" ? await table(`${source.path}?${search}`) : csv(report, period.by);
  const url = URL.createObjectURL(blob);
  h("a", { href: url, download: `usage-${period.from}-${period.to}.csv` }).click();
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
