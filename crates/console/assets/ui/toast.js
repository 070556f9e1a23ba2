// Messages that come and go in a row of their own, where they cover nothing. Screen readers read them out.

import { button, h } from "./dom.js";
import { text } from "../text.js";

const LIFETIME_MS = 8000;
/** Reasons take longer to read. */
const BAD_LIFETIME_MS = 20_000;

const good = h("div", { role: "status" });
const bad = h("div", { role: "alert" });
const place = h("div", { class: "toasts" }, good, bad);

document.addEventListener("keydown", (event) => {
  const last = bad.lastElementChild;
  if (event.key !== "Escape" || event.defaultPrevented || !last || document.querySelector("dialog[open]")) return;
  // The message alone goes: another Escape closes what is behind it.
  event.preventDefault();
  last.remove();
});

// What couldn't be reached is reached again: its messages are no longer true.
const reached = () => {
  for (const one of [...bad.children]) if (one.textContent?.includes(text.errors.network)) one.remove();
};
document.addEventListener("reached", reached);
addEventListener("online", reached);

/** The place of messages, once in the page. */
export function toasts() {
  return place;
}

/**
 * Shows a message. One that is shown already begins again. `act` is what the person may do about it, once.
 * @param {string} message @param {{ bad?: boolean, act?: { name: string, run: () => unknown } }} options
 */
export function toast(message, { bad: isBad = false, act } = {}) {
  const list = isBad ? bad : good;
  [...list.children].find((one) => one.firstElementChild?.textContent === message)?.remove();
  const close = () => shown.remove();
  const shown = h("div", { class: isBad ? "toast bad" : "toast" }, h("p", {}, message),
    act ? button({ name: act.name, kind: "small", onclick: () => {
      close();
      void act.run();
    } }) : null,
    button({ name: text.close, icon: "close", kind: "plain small", quiet: true, onclick: close }));
  let timer = 0;
  const begin = () => { timer = window.setTimeout(close, isBad ? BAD_LIFETIME_MS : LIFETIME_MS); };
  // Nobody who reads or reaches for it loses it.
  shown.addEventListener("pointerenter", () => clearTimeout(timer));
  shown.addEventListener("pointerleave", begin);
  begin();
  list.append(shown);
}
