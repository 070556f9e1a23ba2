// A session's page: its conversation as it comes, its questions, its cost, and the field for what is next.

import { all, get, post, remove } from "../../api/client.js";
import { follow } from "../../api/events.js";
import { projectPeople } from "../../api/people.js";
import { text } from "../../text.js";
import { ask } from "../../ui/dialog.js";
import { button, fill, h, icon } from "../../ui/dom.js";
import { projectPlaces } from "../../ui/places.js";
import { toast } from "../../ui/toast.js";
import { approvalPlace } from "./approval.js";
import { composer } from "./composer.js";
import { conversation } from "./conversation.js";
import { askSession } from "./create.js";
import { costMeter } from "./cost.js";
import { BUSY, statusMark } from "./parts.js";

/** @type {import("../../router.js").Opener} */
export async function openSession({ project: id, session: sid }) {
  const root = `/projects/${id}`;
  const path = `${root}/sessions/${sid}`;
  const [{ project }, { session }, { models }, { user }, people, messages, questions] = await Promise.all([get(root),
    get(path), get("/models"), get("/me"), projectPeople(id), all(`${path}/messages`, "messages"),
    get(`${path}/approvals?status=pending`).catch(() => ({ approvals: [] }))]);
  people.set(user.id, user.name);
  const opened = Date.now();
  const open = session.closedAt === null && session.status !== "no_session";
  const talk = conversation({ people, address });
  const approval = approvalPlace(path);
  const cost = costMeter(path, session.budget);
  const state = h("span", {});
  const spoken = h("p", { class: "unseen", role: "status" });
  const title = h("h1", { dir: "auto" }, text.sessions.untitled);
  const begin = h("div", { class: "empty" }, icon("agent"), h("p", {}, text.sessions.begin));
  const foot = h("div", { class: "session-foot" });
  const field = composer(path, {
    sending(said) {
      talk.expect(said, user.name);
      begin.hidden = true;
    },
    refused(error) {
      talk.settle();
      begin.hidden = !talk.isEmpty();
      if (error.code === "CREDITS_EXHAUSTED") exhausted(error.details.budget);
    },
    stop: () => post(`${path}/stop`, {}, { key: undefined }),
  });
  let status = session.status;
  /** The run that has stopped for a question, as its events follow one another. */
  let asking = "";

  /** @type {import("./tool.js").Address} */
  function address({ kind, id, team }) {
    if (kind === "object") return `${root}?object=${id}`;
    // A card is shown by a board that it is on.
    return team ? `/orgs/${project.ownerId}/teams/${team}?card=${id}` : null;
  }

  function draw() {
    fill(state, statusMark(approval.call() ? "asking" : status));
    const first = messages.find((one) => one.role === "user")?.parts.find((/** @type {any} */ part) => part.type === "text");
    if (first) fill(title, first.text.split("\n")[0]);
    begin.hidden = !talk.isEmpty();
    field.busy(BUSY.has(status));
  }

  /** @param {...Node} content */
  function instead(...content) {
    fill(foot, h("div", { class: "notice-line" }, content));
  }

  /** @param {unknown} budget */
  function exhausted(budget) {
    cost.limit(Number(budget));
    instead(icon("warning"), h("p", {}, text.sessions.exhausted),
      button({ name: text.sessions.create, onclick: () => void askSession(project) }));
  }

  async function question() {
    const { approvals } = await get(`${path}/approvals?status=pending`);
    if (approvals[0]) wait(approvals[0]);
    draw();
  }
  /** @param {any} asked */
  function wait(asked) {
    approval.show(asked);
    talk.call(asked.callId)?.wait();
  }

  /** @type {Record<string, (data: any, at: string) => void>} */
  const heard = {
    "message.created": (data) => {
      messages.push(data);
      talk.message(data);
      cost.later();
    },
    "message.delta": (data, at) => talk.write(data.text, Date.parse(at)),
    "tool.started": (data, at) => talk.call(data.callId)?.started(Date.parse(at)),
    "tool.finished": (data, at) => talk.call(data.callId)?.finished(Date.parse(at), data.isError),
    "approval.requested": (data, at) => {
      asking = data.taskId;
      if (Date.parse(at) > opened - 60_000) void question().catch((error) => toast(error.message, { bad: true }));
    },
    "approval.answered": (data) => {
      if (approval.call() === data.callId && approval.hide()) field.focus();
    },
    "run.status": (data, at) => {
      status = data.status;
      if (BUSY.has(status)) return;
      const asks = status === "paused" && asking === data.taskId;
      asking = "";
      if (asks) return;
      talk.ended();
      if (status === "paused") talk.note(at, "", text.sessions.stopped);
      if (status === "failed") talk.note(at, "failure", text.sessions.failed(data.failure?.message ?? text.errors.failed));
      if (data.failure?.code === "CREDITS_EXHAUSTED") exhausted(data.failure.details?.budget);
      if (Date.parse(at) > opened) fill(spoken, status === "completed" ? text.sessions.done : "");
      cost.later();
    },
    "objects.changed": (data, at) => {
      for (const kind of /** @type {("added" | "changed" | "deleted")[]} */ (["added", "changed", "deleted"])) {
        const count = data[`${kind}Count`];
        const [first] = data[kind] ?? [];
        if (count) talk.note(at, kind, first && kind !== "deleted"
          ? h("a", { href: `${root}?object=${first}` }, text.sessions[kind](count)) : text.sessions[kind](count));
      }
    },
    "session.closed": () => {
      status = "no_session";
      instead(h("p", {}, text.sessions.closed));
      stop();
    },
  };
  for (const message of messages.slice()) talk.message(message);
  if (questions.approvals[0]) wait(questions.approvals[0]);
  if (!open) instead(h("p", {}, text.sessions.closed));
  else if (models.length === 0) {
    fill(begin, icon("code"), h("p", {}, text.sessions.beginCode),
      h("a", { class: "button primary", href: `${path}/executions` }, icon("code"), h("span", {}, text.sessions.execute)));
    instead(icon("warning"), h("div", {}, h("p", {}, text.sessions.noModel),
    h("p", { class: "soft" }, text.sessions.noModelHelp)), h("a", { class: "button", href: "/docs/guide/agents", target: "_blank" },
    text.sessions.aboutModels));
  }
  else fill(foot, field.element);
  let planned = 0;
  const stop = follow(`${path}/events`, ({ type, data }) => {
    heard[type]?.(data.data, data.occurredAt);
    cancelAnimationFrame(planned);
    planned = requestAnimationFrame(draw);
  });
  draw();

  function askClose() {
    ask({ title: text.sessions.close, action: text.sessions.close, fields: [h("p", {}, text.sessions.closeLead)],
      async send() { await remove(path); } });
  }
  return {
    title: `${text.sessions.title} · ${project.name}`,
    ...(await projectPlaces(project, "/sessions", { name: text.sessions.title, href: `${root}/sessions` })),
    content: h("div", { class: "session" },
      h("div", { class: "session-head" }, title, state, h("span", { class: "soft wide-only", dir: "auto" }, session.branch), cost.element,
        h("a", { class: "button plain", href: `${path}/executions`, "aria-label": text.sessions.execute, title: text.sessions.execute },
          icon("code"), h("span", {}, text.sessions.execute)),
        open ? button({ name: text.sessions.close, icon: "close", kind: "plain", quiet: true, onclick: askClose }) : null),
      h("div", { class: "session-middle" }, begin, talk.element), h("div", { class: "session-end" }, approval.element, foot), spoken),
    close() {
      stop();
      talk.close();
      approval.close();
      cost.close();
      cancelAnimationFrame(planned);
    },
  };
}
