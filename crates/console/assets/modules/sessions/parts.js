// Small parts that pages of sessions share.

import { text } from "../../text.js";
import { h } from "../../ui/dom.js";

/** A session's status as a word with a colour. @param {string} status */
export function statusMark(status) {
  return h("span", { class: "state", "data-state": status }, text.sessions.statuses[status] ?? status);
}

/** Credits with as many places as tell something. @param {number} amount */
export function credits(amount) {
  return new Intl.NumberFormat(undefined, { maximumSignificantDigits: 4 }).format(amount);
}

/** A tool's name as people read it. @param {string} name `{toolbox}__{tool}` */
export function toolName(name) {
  const words = (name.split("__").at(-1) ?? name).replaceAll("_", " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** The budget with which this tab opened a session: the API tells it when it is used up alone. */
export const budgets = {
  /** @param {string} session @param {string} budget */
  keep: (session, budget) => sessionStorage.setItem(`budget:${session}`, budget),
  /** @param {string} session */
  of: (session) => Number(sessionStorage.getItem(`budget:${session}`)) || null,
};
