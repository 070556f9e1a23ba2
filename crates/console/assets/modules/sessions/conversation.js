// The column of a conversation: messages, what the model is writing, tool calls, and notes between them.

import { text } from "../../text.js";
import { button, fill, h, icon, mark, moment } from "../../ui/dom.js";
import { markdown } from "../../ui/markdown.js";
import { toolLine } from "./tool.js";

/** @typedef {import("./tool.js").ToolLine} ToolLine @typedef {Map<string, string>} Names */

/** The reader follows the end while it is at most this far away. */
const NEAR_PX = 60;

/** @param {{ people: Names, address: import("./tool.js").Address }} options */
export function conversation({ people, address }) {
  const column = h("div", { class: "talk-column" });
  const scroller = h("div", { class: "talk", tabindex: "0", role: "log", "aria-label": text.sessions.conversation }, column);
  const latest = button({ name: text.sessions.latest, kind: "latest", onclick: () => { follows = true; toEnd(); } });
  /** @type {{ at: number, element: HTMLElement }[]} */
  const entries = [];
  /** @type {Set<string>} */
  const known = new Set();
  /** @type {Map<string, ToolLine>} */
  const calls = new Map();
  /** @type {{ element: HTMLElement, words: HTMLElement, text: string } | null} */
  let writing = null;
  /** @type {{ element: HTMLElement, text: string } | null} */
  let pending = null;
  let [follows, newest, planned] = [true, 0, 0];

  function toEnd() {
    if (follows) scroller.scrollTop = scroller.scrollHeight;
    latest.hidden = follows;
  }
  scroller.addEventListener("scroll", () => {
    follows = scroller.scrollHeight - scroller.scrollTop - scroller.clientHeight < NEAR_PX;
    latest.hidden = follows;
  }, { passive: true });
  new ResizeObserver(toEnd).observe(scroller);

  /** Puts an element at its time. @param {number} at @param {HTMLElement} element */
  function put(at, element) {
    let index = entries.length;
    while (index > 0 && entries[index - 1].at > at) index -= 1;
    column.insertBefore(element, index < entries.length ? entries[index].element : writing?.element ?? pending?.element ?? null);
    entries.splice(index, 0, { at, element });
    toEnd();
  }

  /** @param {string} role @param {string} name @param {Node[]} content @param {string} [at] */
  function entry(role, name, content, at) {
    return h("article", { class: `said ${role}`, "aria-label": name },
      h("header", {}, role === "user" ? mark(name) : icon("agent"), h("span", { class: "name", dir: "auto" }, name),
        at ? h("span", { class: "soft" }, moment(at)) : null), h("div", { class: "prose" }, content));
  }

  /** @param {any} message */
  function message(message) {
    if (known.has(message.id)) return;
    known.add(message.id);
    const at = Date.parse(message.createdAt);
    newest = Math.max(newest, at);
    /** @type {any[]} */
    const parts = message.parts;
    for (const part of parts.filter(({ type }) => type === "tool_result")) {
      calls.get(part.callId)?.answered(part.text, part.isError);
    }
    if (message.role === "tool") return toEnd();
    const content = parts.flatMap((part) => {
      if (part.type === "text") return markdown(part.text, 1);
      if (part.type !== "tool_call") return [];
      const line = toolLine(part.name, part.params, address);
      calls.set(part.callId, line);
      return [line.element];
    });
    const ofUser = message.role === "user";
    if (ofUser && parts.some(({ text: said }) => said === pending?.text)) settle();
    if (!ofUser) unwrite();
    const name = ofUser ? people.get(message.promptedBy) ?? text.sessions.somebody : text.sessions.agent;
    put(at, entry(ofUser ? "user" : "assistant", name, content, message.createdAt));
  }

  function unwrite() {
    writing?.element.remove();
    writing = null;
  }

  function settle() {
    pending?.element.remove();
    pending = null;
  }

  return {
    element: h("div", { class: "talk-place" }, scroller, latest),
    scroller,
    message,
    /** True without anything said. */
    isEmpty: () => known.size === 0 && pending === null && writing === null,
    /** The next words of the model. @param {string} words @param {number} at */
    write(words, at) {
      // A stream begins with what is told already.
      if (at < newest) return;
      if (!writing) {
        const place = h("div", { class: "writing" });
        const element = entry("assistant", text.sessions.agent, [place]);
        element.setAttribute("aria-busy", "true");
        column.append(element);
        writing = { element, words: place, text: "" };
      }
      writing.text += words;
      cancelAnimationFrame(planned);
      planned = requestAnimationFrame(() => {
        if (writing) fill(writing.words, markdown(writing.text, 1));
        toEnd();
      });
    },
    /** Ends the message under way; what was written of it is in a message, if it was kept. */
    ended() {
      unwrite();
      for (const line of calls.values()) line.end();
    },
    /** @param {string} call @returns {ToolLine | undefined} */
    call: (call) => calls.get(call),
    /** A line between messages. @param {string} at @param {string} kind @param {...(Node | string)} content */
    note(at, kind, ...content) {
      put(Date.parse(at), h("p", { class: `note ${kind}` }, content));
    },
    /** Shows a message before the service has it. @param {string} said @param {string} name */
    expect(said, name) {
      settle();
      pending = { text: said, element: entry("user", name, [markdown(said, 1)]) };
      pending.element.classList.add("pending");
      column.append(pending.element);
      follows = true;
      toEnd();
    },
    settle,
    close: () => cancelAnimationFrame(planned),
  };
}
