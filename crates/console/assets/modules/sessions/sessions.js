// A project's sessions: who works with an agent on what, in which state, and at what cost. Those without a task, which
// uploads and executions open, are listed on demand.

import { all, get } from "../../api/client.js";
import { projectEvents, watch } from "../../api/events.js";
import { projectPeople } from "../../api/people.js";
import { text } from "../../text.js";
import { button, fill, h, icon, mark, moment } from "../../ui/dom.js";
import { projectPlaces } from "../../ui/places.js";
import { released } from "../../ui/pointer.js";
import { askSession } from "./create.js";
import { BUSY, credits, statusMark } from "./parts.js";

/** Sessions whose first task is read, so that a long list costs few requests. */
const TITLED = 50;

/** @type {import("../../router.js").Opener} */
export async function openSessions({ project: id }, search) {
  const { project } = await get(`/projects/${id}`);
  const list = h("ul", { class: "rows" });
  const empty = h("div", { class: "empty", hidden: true }, icon("agent"), h("p", {}, text.sessions.empty), opener());
  const others = h("p", { class: "soft" });
  const [people, { models }] = await Promise.all([projectPeople(id), get("/models")]);
  const showsAll = search.has("all");
  /** First tasks by session, empty where there is none. @type {Map<string, string>} */
  const tasks = new Map();

  function opener() {
    return button({ name: text.sessions.create, icon: "plus", kind: "primary", onclick: () => void askSession(project) });
  }

  async function load() {
    const [sessions, costs] = await Promise.all([all(`/projects/${id}/sessions`, "sessions"), costsOf(id)]);
    // Nobody has prompted an idle one.
    const prompted = sessions.filter(({ status }) => status !== "idle");
    const untold = prompted.slice(0, TITLED).filter(({ sessionId, status }) =>
      !tasks.has(sessionId) || (tasks.get(sessionId) === "" && BUSY.has(status)));
    await Promise.all(untold.map(async ({ sessionId }) => {
      const first = await get(`/projects/${id}/sessions/${sessionId}/messages?limit=1`).catch(() => null);
      const parts = first?.messages[0]?.parts ?? [];
      if (first) tasks.set(sessionId, parts.find((/** @type {any} */ part) => part.type === "text")?.text ?? "");
    }));
    await released();
    const withTask = prompted.filter(({ sessionId }) => tasks.get(sessionId) !== "");
    const shown = showsAll ? sessions : withTask;
    fill(list, shown.map((session) => row(session, costs.get(session.sessionId))));
    empty.hidden = shown.length > 0;
    const count = sessions.length - withTask.length;
    fill(others, showsAll ? h("a", { href: `/projects/${id}/sessions` }, text.sessions.onlyTasks)
      : count > 0 ? [text.sessions.others(count), " ", h("a", { href: `/projects/${id}/sessions?all=` }, text.sessions.all)] : null);
    others.hidden = others.childElementCount === 0;
  }

  /** @param {any} session @param {number | undefined} cost */
  function row(session, cost) {
    const owner = people.get(session.createdBy);
    const task = tasks.get(session.sessionId);
    return h("li", {}, h("a", { class: "row session-row", href: `/projects/${id}/sessions/${session.sessionId}` },
      icon("agent"), h("span", { class: task ? "name" : "soft", dir: "auto" }, task || text.sessions.untitled),
      statusMark(session.status), h("span", { class: "soft wide-only", dir: "auto" }, session.branch),
      h("span", { class: "soft wide-only" }, said(cost, session.budget)),
      h("span", { class: "owner" }, owner ? mark(owner) : null, h("span", { class: "soft" }, moment(session.createdAt)))));
  }

  await load();
  const watched = watch(projectEvents(id), load, ({ type }) => type.startsWith("session."));
  return {
    title: `${text.sessions.title} · ${project.name}`,
    ...(await projectPlaces(project, "/sessions", { name: text.sessions.title })),
    content: h("div", { class: "page" },
      h("div", { class: "heading" }, h("h1", {}, text.sessions.title), opener()),
      models.length === 0 ? h("p", { class: "notice" }, `${text.sessions.noModel} ${text.sessions.noModelHelp}`)
        : h("p", { class: "soft" }, text.sessions.lead), list, empty, others),
    close: watched.stop,
  };
}

/** The cost of a session beside its budget. @param {number | undefined} cost @param {{ credits: number } | null} budget */
function said(cost, budget) {
  if (cost === undefined) return "";
  return budget ? text.sessions.ofBudget(credits(cost), credits(budget.credits)) : text.sessions.credits(credits(cost));
}

/** Credits by session; empty for readers who may not see them. @param {string} project @returns {Promise<Map<string, number>>} */
async function costsOf(project) {
  const usage = await get(`/projects/${project}/usage?groupBy=session`).catch(() => null);
  return new Map((usage?.groups ?? []).map((/** @type {any} */ group) => [group.sessionId, group.credits]));
}
