// The line of status with the list of uploads: each row keeps its element while it changes, so its button can be pressed.

import { text } from "../../text.js";
import { button, fill, h } from "../../ui/dom.js";

/** @typedef {import("./uploads.js").Upload} Upload */

/** How much of an upload is done, of 1. @param {Upload} one */
const part = (one) => (one.end ? 1 : one.file ? (one.sent ?? 0) / Math.max(1, one.file.size) : 0);

/** @param {(some: Upload[]) => void} cancel ends those that are under way */
export function outcomes(cancel) {
  const bar = h("progress", { max: 1, value: 0, "aria-label": text.files.upload });
  const said = h("span", { dir: "auto" });
  const list = h("ul", { class: "outcomes", tabindex: "0", "aria-label": text.files.uploads });
  const close = button({ name: text.close, icon: "close", kind: "plain", quiet: true, onclick: () => { element.hidden = true; } });
  const end = button({ name: text.files.cancelAll, kind: "plain", onclick: () => cancel(current) });
  const folded = h("details", { ontoggle: () => draw() }, h("summary", {}, bar, h("span", { role: "status" }, said)), list);
  const element = h("div", { class: "status", hidden: true }, folded, end, close);
  /** @type {Upload[]} */
  let current = [];
  /** @type {Map<Upload, { element: HTMLLIElement, draw: () => void }>} */
  let rows = new Map();

  function draw() {
    const ended = current.filter((one) => one.end).length;
    const count = (/** @type {string} */ kind) => current.filter((one) => one.end === kind).length;
    const all = ended === current.length;
    bar.value = current.reduce((sum, one) => sum + part(one), 0) / Math.max(1, current.length);
    bar.hidden = all;
    close.hidden = !all;
    end.hidden = all;
    const cancelled = count("cancelled");
    fill(said, !all ? current.length === 1 ? current[0].state : text.files.progress(ended, current.length)
      : cancelled === current.length ? text.files.cancelled(cancelled)
        : current.every((one) => !one.file) && count("failed") === 0 ? text.files.foldersMade(current.length)
          : text.files.outcome(current.filter((one) => one.file && one.end === "done").length, count("failed") + cancelled));
    if (folded.open) for (const one of current) row(one).draw();
  }

  /** @param {Upload} one */
  function row(one) {
    const known = rows.get(one);
    if (known) return known;
    const state = h("span", {});
    const stop = button({ name: text.files.cancelUpload(one.path), icon: "close", kind: "plain small", quiet: true, onclick: () => {
      cancel([one]);
      folded.querySelector("summary")?.focus();
    } });
    const item = h("li", {}, h("span", { dir: "auto", title: one.path }, one.path), state, stop);
    const made = { element: item, draw() {
      if (state.textContent !== one.state) fill(state, one.state);
      item.className = one.end === "failed" ? "failure" : "";
      stop.hidden = Boolean(one.end) || one.isTogether === true;
    } };
    rows.set(one, made);
    list.append(item);
    return made;
  }

  return {
    element, draw,
    /** Shows other uploads. @param {Upload[]} uploads */
    begin(uploads) {
      current = uploads;
      rows = new Map();
      fill(list);
      element.hidden = false;
      draw();
    },
    hide() { element.hidden = true; },
  };
}
