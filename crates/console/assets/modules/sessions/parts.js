// Small parts that pages of sessions share.

import { text } from "../../text.js";
import { h } from "../../ui/dom.js";

/** The statuses of a session whose agent works. */
export const BUSY = new Set(["starting", "running"]);

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
