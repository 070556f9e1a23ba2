// A tool call as one line, which unfolds to what was asked and answered.

import { text } from "../../text.js";
import { fill, h, icon } from "../../ui/dom.js";
import { code } from "../../ui/block.js";
import { prettyJson } from "../../ui/json.js";
import { toolName } from "./parts.js";

/**
 * @typedef {(subject: { kind: string, id: string, team?: string }) => string | null} Address
 * @typedef {"running" | "waiting" | "done" | "failed"} State
 * @typedef {{ element: HTMLElement, started: (at: number) => void, finished: (at: number, failed: boolean) => void,
 *   answered: (said: string, failed: boolean) => void, wait: () => void, end: () => void }} ToolLine
 */

const ICONS = { running: "wait", waiting: "warning", done: "tick", failed: "close" };
/** Arguments that say best what a call is about. */
const SUBJECTS = ["name", "title", "q", "path", "message", "body", "objectId", "cardId", "url"];
const SUBJECT_CHARACTERS = 80;

/**
 * @param {string} name @param {Record<string, unknown>} params
 * @param {Address} address the page of what an answer names
 * @returns {ToolLine}
 */
export function toolLine(name, params, address) {
  const sign = h("span", { class: "tool-sign" });
  const outcome = h("span", { class: "soft tool-outcome" });
  const subject = h("span", { class: "tool-subject", dir: "auto" }, subjectOf(params));
  const inside = h("div", { class: "tool-inside" });
  const link = h("span", { class: "tool-link" });
  const details = h("details", { class: "tool" }, h("summary", {}, sign, h("span", { class: "name" }, toolName(name)),
    subject, outcome), inside);
  /** @type {string | null} */
  let answer = null;
  /** @type {State} */
  let state = "running";
  let [begun, took] = [0, -1];

  function show() {
    details.dataset.state = state;
    fill(sign, icon(ICONS[state]));
    fill(outcome, took < 0 ? text.sessions.calls[state] : `${text.sessions.calls[state]}, ${text.sessions.seconds(took)}`);
    if (details.open) unfold();
  }
  function unfold() {
    fill(inside, h("p", { class: "soft" }, name), h("p", { class: "part" }, text.sessions.asked),
      code(prettyJson(params), text.sessions.asked), h("p", { class: "part" }, text.sessions.answered),
      answer === null ? h("p", { class: "soft" }, text.sessions.noAnswerYet) : code(pretty(answer), text.sessions.answered));
  }
  details.addEventListener("toggle", () => { if (details.open) unfold(); });
  show();

  return {
    element: h("div", { class: "tool-line" }, details, link),
    started(at) { begun = at; if (state === "waiting") state = "running"; show(); },
    finished(at, failed) {
      if (begun > 0) took = (at - begun) / 1000;
      state = failed ? "failed" : "done";
      show();
    },
    answered(said, failed) {
      answer = said;
      state = failed ? "failed" : "done";
      const made = failed ? null : subjectIn(said);
      if (made?.name && !subject.textContent) fill(subject, cut(made.name));
      const href = made ? address(made) : null;
      if (made && href) fill(link, h("a", { href, dir: "auto" }, cut(made.name || made.id)));
      show();
    },
    wait() { state = "waiting"; show(); },
    end() { if (state === "running") { state = "failed"; show(); } },
  };
}

/** @param {Record<string, unknown>} params */
function subjectOf(params) {
  const name = SUBJECTS.find((one) => typeof params[one] === "string" && params[one] !== "");
  return name ? cut(String(params[name])) : "";
}

/** The card or object that an answer is about. @param {string} said */
function subjectIn(said) {
  const answer = parsed(said);
  for (const kind of ["card", "object"]) {
    const one = answer?.[kind];
    if (typeof one?.id === "string") {
      return { kind, id: one.id, name: String(one.name ?? ""), team: answer.indexCard?.team_placements?.[0]?.team_id };
    }
  }
  return null;
}

/** @param {string} said @returns {any} */
function parsed(said) {
  try {
    return JSON.parse(said);
  } catch {
    return null;
  }
}

/** @param {string} said */
function pretty(said) {
  const answer = parsed(said);
  return answer && typeof answer === "object" ? prettyJson(answer) : said;
}

/** @param {string} said */
function cut(said) {
  const characters = [...said.slice(0, SUBJECT_CHARACTERS * 4)];
  return characters.length > SUBJECT_CHARACTERS ? `${characters.slice(0, SUBJECT_CHARACTERS).join("")}…` : characters.join("");
}
