// Forms of a sprint: its fields, its start, its completion and its deletion.

import { newKey, patch, post, remove } from "../../api/client.js";
import { text } from "../../text.js";
import { dayInput, dayZone } from "../../ui/days.js";
import { ask, field } from "../../ui/dialog.js";
import { h } from "../../ui/dom.js";

const DAY_MS = 86_400_000;
/** The length that a first sprint is offered with. */
const USUAL_DAYS = 14;

/** @param {any} sprint @param {boolean} required */
function dates(sprint, required) {
  const start = sprint?.start_date ? dayInput(sprint.start_date) : required ? dayInput(Date.now()) : "";
  const end = sprint?.end_date ? dayInput(sprint.end_date)
    : required ? dayInput(Date.now() + (USUAL_DAYS - 1) * DAY_MS) : "";
  return [h("div", { class: "form-row" },
    field({ label: text.sprints.start, name: "start", type: "date", value: start, required }),
    field({ label: text.sprints.end, name: "end", type: "date", value: end, required })),
  h("p", { class: "help" }, text.sprints.zone(dayZone().zone))];
}

/** @param {FormData} form */
const period = (form) => ({ startDate: form.get("start") || null, endDate: form.get("end") || null });

/** The control of a refused field. @param {any} error */
const about = (error) => {
  /** @type {Record<string, string>} */
  const names = { startDate: "start", endDate: "end", description: "goal" };
  return names[error.details?.issues?.[0]?.path.replace(/^body\./, "")];
};

/** Asks for a sprint's fields. @param {string} path of the sprints, or of the sprint to change @param {any} sprint @param {(sprint: any) => void} done */
export function askFields(path, sprint, done) {
  const key = newKey();
  ask({
    title: sprint ? text.sprints.edit : text.sprints.create,
    action: sprint ? text.sprints.save : text.sprints.creates,
    fields: [field({ label: text.sprints.name, name: "name", value: sprint?.name ?? "", required: true }),
      field({ label: text.sprints.goal, name: "goal", value: sprint?.description ?? "", rows: 4, help: text.sprints.goalHelp }),
      ...dates(sprint, sprint?.status === "active")],
    about,
    async send(form) {
      const body = { name: form.get("name"), description: form.get("goal"), ...period(form) };
      const asked = Object.fromEntries(Object.entries(body).filter(([, value]) => sprint || value !== null));
      const answer = sprint ? await patch(path, asked) : await post(path, asked, { key });
      done(answer.sprint);
    },
  });
}

/**
 * @param {string} path of the sprint @param {any} sprint @param {boolean} isBeside true while another one is active
 * @param {() => void} done
 */
export function askStart(path, sprint, isBeside, done) {
  ask({
    title: text.sprints.starts,
    action: text.sprints.starts,
    fields: [h("p", {}, text.sprints.startLead), ...dates(sprint, true),
      ...(isBeside ? [h("label", { class: "check" }, h("input", { type: "checkbox", name: "concurrent" }),
        h("span", {}, text.sprints.concurrent))] : [])],
    about,
    async send(form) {
      await post(`${path}/start`, { ...period(form), allowConcurrent: form.has("concurrent") }, { key: undefined });
      done();
    },
  });
}

/** @param {string} path @param {any} report @param {any[]} others sprints that can take the open cards @param {() => void} done */
export function askComplete(path, report, others, done) {
  const open = report.carried_over.total.cards;
  /** @type {[string, string][]} */
  const targets = [["backlog", text.sprints.toBacklog], ...others.map(({ id, name }) =>
    /** @type {[string, string]} */ ([id, text.sprints.toSprint(name)])), ["keep", text.sprints.keep]];
  ask({
    title: text.sprints.completes,
    action: text.sprints.completes,
    fields: [h("p", {}, text.sprints.completeLead(report.done.total.cards, open)),
      open === 0 ? h("div", {}) : h("div", { class: "field" }, h("label", { for: "field-target" }, text.sprints.openCards),
        h("select", { id: "field-target", name: "target" }, targets.map(([value, said]) => h("option", { value }, said))))],
    async send(form) {
      await post(`${path}/complete`, { incompleteCardsTo: form.get("target") ?? undefined }, { key: undefined });
      done();
    },
  });
}

/** @param {string} path @param {() => void} done */
export function askRemove(path, done) {
  ask({ title: text.sprints.remove, action: text.sprints.remove, danger: true, fields: [h("p", {}, text.sprints.removeLead)],
    async send() { await remove(path); done(); } });
}
