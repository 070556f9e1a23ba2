// The field for messages to the agent. What is typed is kept in the tab until the service has it.

import { newKey, post } from "../../api/client.js";
import { text } from "../../text.js";
import { button, fill, h } from "../../ui/dom.js";

/** @typedef {{ text: string, tried?: string, key?: string }} Draft */

/**
 * @param {string} path of the session
 * @param {{ sending: (said: string) => void, refused: (error: any) => void, stop: () => Promise<void> }} options
 */
export function composer(path, { sending, refused, stop }) {
  const name = `prompt:${path}`;
  /** @type {Draft} */
  let draft = JSON.parse(sessionStorage.getItem(name) ?? '{"text":""}');
  const input = h("textarea", { name: "prompt", rows: 1, value: draft.text, "aria-label": text.sessions.say,
    placeholder: text.sessions.say, "aria-describedby": "say-hint", oninput: () => { keep({ ...draft, text: input.value }); grow(); } });
  const failure = h("p", { class: "failure", role: "alert" });
  const send = button({ name: text.sessions.send, icon: "send", kind: "primary", quiet: true, type: "submit" });
  const halt = button({ name: text.sessions.stop, icon: "stop", kind: "halt", onclick: () => {
    halt.disabled = true;
    void stop().catch((error) => fill(failure, error.message)).finally(() => { halt.disabled = false; });
  } });
  const form = h("form", { class: "composer" }, failure,
    h("div", { class: "composer-field" }, input, halt, send), h("p", { class: "soft", id: "say-hint" }, text.sessions.sayHint));

  /** @param {Draft} now */
  function keep(now) {
    draft = now;
    if (now.text) sessionStorage.setItem(name, JSON.stringify(now));
    else sessionStorage.removeItem(name);
  }
  function grow() {
    input.style.setProperty("height", "auto");
    input.style.setProperty("height", `${Math.min(input.scrollHeight + 2, 240)}px`);
  }
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const said = input.value.trim();
    if (!said || !halt.hidden || send.disabled) return;
    // The same words that were sent without an answer are sent as the same request.
    const key = draft.tried === said && draft.key ? draft.key : newKey();
    keep({ text: said, tried: said, key });
    fill(failure);
    send.disabled = true;
    input.value = "";
    grow();
    sending(said);
    try {
      await post(`${path}/prompt`, { prompt: said }, { key });
      keep({ text: input.value });
    } catch (error) {
      fill(failure, error instanceof Error ? error.message : String(error));
      if (/** @type {any} */ (error).status !== 0) keep({ text: said });
      input.value = input.value ? `${said}\n${input.value}` : said;
      grow();
      input.focus();
      refused(error);
    } finally {
      send.disabled = false;
    }
  });
  input.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    form.requestSubmit();
  });
  halt.hidden = true;
  requestAnimationFrame(grow);

  return {
    element: form,
    focus: () => input.focus(),
    /** While a run is under way, it can be stopped and the next message be typed. @param {boolean} is */
    busy(is) {
      halt.hidden = !is;
      send.hidden = is;
    },
  };
}
