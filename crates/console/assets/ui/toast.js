// Messages that come and go, read out by screen readers.

import { button, h } from "./dom.js";
import { text } from "../text.js";

const LIFETIME = 8000;
const place = h("div", { class: "toasts", role: "status", "aria-live": "polite" });

/** The place of messages, once in the page. */
export function toasts() {
  return place;
}

/** Shows a message. @param {string} message @param {{ bad?: boolean }} options */
export function toast(message, { bad = false } = {}) {
  const close = () => shown.remove();
  const shown = h("div", { class: bad ? "toast bad" : "toast" }, h("p", {}, message),
    button({ name: text.close, icon: "close", kind: "plain", quiet: true, onclick: close }));
  place.append(shown);
  if (!bad) setTimeout(close, LIFETIME);
}
