// A session's executions: code to run, its output as it comes, and what ran before.

import { all, get, post } from "../../api/client.js";
import { follow } from "../../api/events.js";
import { projectPeople } from "../../api/people.js";
import { remember } from "../../router.js";
import { text } from "../../text.js";
import { button, fill, h, icon, mark, moment } from "../../ui/dom.js";
import { projectPlaces } from "../../ui/places.js";
import { editor } from "./editor.js";

/** @type {import("../../router.js").Opener} */
export async function openExecutions({ project: id, session: sid }, search) {
  const root = `/projects/${id}`;
  const path = `${root}/sessions/${sid}`;
  const [{ project }, { session }, people] = await Promise.all([get(root), get(path), projectPeople(id)]);
  const at = session.branch === project.defaultBranch ? root : `${root}--${encodeURIComponent(session.branch)}`;
  const { tree } = await get(`${at}/tree?type=Code`);
  /** @type {Map<string, string>} */
  const names = new Map(tree.map((/** @type {any} */ node) => [node.id, node.name]));
  /** @type {Map<string, any>} */
  const executions = new Map((await all(`${path}/executions`, "executions")).map((one) => [one.executionId, one]));
  /** Output by execution, as events bring it. @type {Map<string, string>} */
  const outputs = new Map();
  const list = h("ul", { class: "rows" });
  const head = h("div", { class: "output-head" });
  const output = h("pre", { class: "output", tabindex: "0", role: "log", "aria-label": text.executions.output });
  const failure = h("p", { class: "failure" });
  const empty = h("p", { class: "soft" }, text.executions.none);
  const result = h("section", { class: "output-place", "aria-label": text.executions.output }, head, output, failure);
  let shown = search.get("execution") ?? executions.keys().next().value ?? "";
  let [planned, ticking] = [0, 0];

  const code = editor({ at, first: search.get("object") ?? "", tree, made: (object, name) => names.set(object, name), async run(objectId, input, key) {
    const { execution } = await post(`${path}/executions`, { objectId, input }, { key });
    // Events of its start may come before the answer, and are newer.
    executions.set(execution.executionId, { ...execution, ...executions.get(execution.executionId) });
    choose(execution.executionId);
  } });

  /** @param {string} execution */
  function choose(execution) {
    shown = execution;
    remember("execution", execution);
    draw();
    const known = executions.get(execution);
    if (known?.endedAt) void read(execution);
  }

  /** Reads the whole output of one that has ended. @param {string} execution */
  async function read(execution) {
    const answer = await get(`${path}/executions/${execution}`).catch(() => null);
    if (!answer) return;
    executions.set(execution, answer.execution);
    outputs.set(execution, answer.execution.output ?? "");
    draw();
  }

  function draw() {
    const one = executions.get(shown);
    empty.hidden = executions.size > 0;
    result.hidden = !one;
    fill(list, [...executions.values()].sort((a, b) => b.createdAt.localeCompare(a.createdAt)).map(row));
    if (!one) return;
    const isOpen = one.state === "queued" || one.state === "running";
    fill(head, icon("code"), h("h2", { dir: "auto" }, names.get(one.objectId) ?? text.executions.gone), stateOf(one),
      h("span", { class: "soft" }, one.startedAt ? text.executions.took(duration(one)) : ""),
      isOpen ? button({ name: text.executions.stop, icon: "stop", kind: "halt", onclick: () => void stop(one.executionId) }) : null);
    const follows = output.scrollHeight - output.scrollTop - output.clientHeight < 40;
    fill(output, outputs.get(shown) || (isOpen ? "" : text.executions.silent));
    if (follows) output.scrollTop = output.scrollHeight;
    fill(failure, one.failure ? `${one.failure.message}` : one.truncated ? text.executions.cut : "");
    clearTimeout(ticking);
    if (one.state === "running") ticking = window.setTimeout(draw, 1000);
  }

  /** @param {string} execution */
  async function stop(execution) {
    try {
      const answer = await post(`${path}/executions/${execution}/stop`, {}, { key: undefined });
      executions.set(execution, answer.execution);
      outputs.set(execution, answer.execution.output ?? "");
      draw();
    } catch (error) {
      fill(failure, error instanceof Error ? error.message : String(error));
    }
  }

  /** @param {any} one */
  function row(one) {
    const by = people.get(one.createdBy);
    return h("li", {}, h("button", { type: "button", class: "row execution-row", "aria-pressed": String(one.executionId === shown),
      onclick: () => choose(one.executionId) }, icon("run"),
    h("span", { class: "name", dir: "auto" }, names.get(one.objectId) ?? text.executions.gone), stateOf(one),
    h("span", { class: "soft" }, one.startedAt ? duration(one) : ""),
    h("span", { class: "owner" }, by ? mark(by) : null, h("span", { class: "soft" }, moment(one.createdAt)))));
  }

  /** @type {Record<string, (data: any, at: string) => void>} */
  const heard = {
    "execution.output": (data) => {
      // The whole output of one that has ended is read at once.
      if (executions.get(data.executionId)?.endedAt && outputs.has(data.executionId)) return;
      outputs.set(data.executionId, (outputs.get(data.executionId) ?? "") + data.text);
    },
    "execution.changed": (data, occurredAt) => {
      const known = executions.get(data.executionId)
        ?? { executionId: data.executionId, objectId: data.objectId, createdAt: occurredAt };
      if (known.endedAt) return;
      const ended = data.state !== "queued" && data.state !== "running";
      executions.set(data.executionId, { ...known, state: data.state, failure: data.failure ?? null,
        startedAt: known.startedAt ?? (data.state === "running" ? occurredAt : null), endedAt: ended ? occurredAt : null });
      if (ended && data.executionId === shown) void read(shown);
    },
  };
  const unfollow = follow(`${path}/events`, ({ type, data }) => {
    if (!heard[type]) return;
    heard[type](data.data, data.occurredAt);
    cancelAnimationFrame(planned);
    planned = requestAnimationFrame(draw);
  });
  draw();
  if (shown) choose(shown);
  return {
    title: `${text.executions.title} · ${project.name}`,
    ...(await projectPlaces(project, "/sessions", { name: text.sessions.title, href: `${root}/sessions` },
      { name: text.executions.title })),
    content: h("div", { class: "page executions" }, h("div", { class: "heading" }, h("h1", {}, text.executions.title),
      h("a", { class: "button", href: path }, icon("agent"), h("span", {}, text.sessions.conversation))),
    h("p", { class: "soft" }, text.executions.lead), code, result,
    h("section", { "aria-labelledby": "earlier" }, h("h2", { id: "earlier" }, text.executions.earlier), empty, list)),
    close() {
      unfollow();
      clearTimeout(ticking);
      cancelAnimationFrame(planned);
    },
  };
}

/** @param {any} one */
function stateOf(one) {
  return h("span", { class: "state", "data-state": one.state }, text.executions.states[one.state] ?? one.state);
}

/** @param {any} one */
function duration(one) {
  const end = one.endedAt ? Date.parse(one.endedAt) : Date.now();
  return text.sessions.seconds(Math.max(0, (end - Date.parse(one.startedAt)) / 1000));
}
