// The question whether the agent may call a tool: a card above the composer, answered by click or by keys.

import { post } from "../../api/client.js";
import { text } from "../../text.js";
import { button, fill, h, icon } from "../../ui/dom.js";
import { code } from "../../ui/block.js";
import { prettyJson } from "../../ui/json.js";
import { toolName } from "./parts.js";

/** The place of a session's question. @param {string} path of the session */
export function approvalPlace(path) {
  const element = h("div", { class: "approval-place", "aria-live": "assertive" });
  /** @type {any} */
  let shown = null;
  /** @type {((decision: string) => Promise<void>) | null} */
  let decide = null;

  /** @param {any} approval */
  function show(approval) {
    if (shown?.approvalId === approval.approvalId) return;
    shown = approval;
    const failure = h("p", { class: "failure", role: "alert" });
    const does = approval.effects.filter((/** @type {string} */ one, /** @type {number} */ _, /** @type {string[]} */ every) =>
      !(one === "showUntrusted" && every.length > 1) && !(one === "write" && every.includes("destroy")))
      .map((/** @type {string} */ one) => text.sessions.does[one] ?? one).join(", ");
    const may = approval.params !== null;
    const yes = answer(text.sessions.allow, "Y", "approve", "primary");
    const no = answer(text.sessions.deny, "N", "deny", "");
    decide = !may ? null : async (decision) => {
      yes.disabled = no.disabled = true;
      fill(failure);
      try {
        await post(`${path}/approvals/${approval.approvalId}`, { decision }, { key: undefined });
        if (shown === approval) hide();
      } catch (error) {
        fill(failure, error instanceof Error ? error.message : String(error));
        yes.disabled = no.disabled = false;
      }
    };
    const card = h("section", { class: "approval", tabindex: "-1", "aria-labelledby": "approval-title" },
      h("h2", { id: "approval-title" }, icon("warning"), h("span", {}, text.sessions.question)),
      h("p", {}, h("strong", { title: approval.name }, toolName(approval.name)), " ", does, ". ",
        h("span", { class: "soft" }, text.sessions.reasons[approval.reason] ?? approval.reason)),
      may ? code(prettyJson(approval.params), text.sessions.asked) : h("p", {}, text.sessions.noAnswer),
      failure, may ? h("div", { class: "actions" }, no, yes) : null);
    fill(element, card);
    // Who is typing goes on typing; everybody else has the question at hand.
    if (!document.activeElement?.closest("textarea, input, dialog")) card.focus({ preventScroll: true });
  }

  /** @param {string} name @param {string} key @param {string} decision @param {string} kind */
  function answer(name, key, decision, kind) {
    const element = button({ name, kind, onclick: () => void decide?.(decision) });
    element.append(h("kbd", { "aria-hidden": "true" }, key));
    element.setAttribute("aria-keyshortcuts", key.toLowerCase());
    return element;
  }

  function hide() {
    const had = element.contains(document.activeElement);
    [shown, decide] = [null, null];
    fill(element);
    return had;
  }

  /** @param {KeyboardEvent} event */
  function onKey(event) {
    if (!decide || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.target instanceof Element && event.target.closest("textarea, input, select, dialog")) return;
    const decision = { y: "approve", n: "deny" }[event.key.toLowerCase()];
    if (!decision) return;
    event.preventDefault();
    void decide(decision);
  }
  document.addEventListener("keydown", onKey);

  return {
    element,
    show,
    hide,
    /** The call that waits for the shown question. @returns {string | undefined} */
    call: () => shown?.callId,
    close: () => document.removeEventListener("keydown", onKey),
  };
}
