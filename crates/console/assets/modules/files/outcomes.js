// The line of status with the list of uploads: each row keeps its element while it changes, so its button can be pressed.

import { cancelUploads, dismissUploads, partOf, uploadsTo } from "../../api/uploads.js";
import { text } from "../../text.js";
import { button, fill, h } from "../../ui/dom.js";

/** @typedef {import("../../api/uploads.js").Upload} Upload */

/** The uploads to a branch. @param {string} place */
export function outcomes(place) {
  const bar = h("progress", { max: 1, value: 0, "aria-label": text.files.upload });
  const said = h("span", { dir: "auto" });
  const list = h("ul", { class: "outcomes", tabindex: "0", "aria-label": text.files.uploads });
  const close = button({ name: text.close, icon: "close", kind: "plain", quiet: true, onclick: () => dismissUploads(place) });
  const end = button({ name: text.files.cancelAll, kind: "plain", onclick: () => cancelUploads(uploadsTo(place)) });
  const folded = h("details", { ontoggle: () => draw() }, h("summary", {}, bar, h("span", { role: "status" }, said)), list);
  const element = h("div", { class: "status" }, folded, end, close);
  /** @type {Map<Upload, { element: HTMLLIElement, draw: () => void }>} */
  const rows = new Map();
  /** @type {Upload | null} */
  let followed = null;
  let isTheirs = false;
  for (const kind of ["wheel", "touchmove", "pointerdown", "keydown"]) list.addEventListener(kind, () => { isTheirs = true; });

  function draw() {
    const current = uploadsTo(place);
    element.hidden = current.length === 0;
    for (const [one, { element: item }] of rows) {
      if (current.includes(one)) continue;
      item.remove();
      rows.delete(one);
    }
    if (element.hidden) {
      isTheirs = false;
      return;
    }
    const ended = current.filter((one) => one.end).length;
    const count = (/** @type {string} */ kind) => current.filter((one) => one.end === kind).length;
    const all = ended === current.length;
    bar.value = current.reduce((sum, one) => sum + partOf(one), 0) / current.length;
    bar.hidden = all;
    close.hidden = !all;
    end.hidden = all;
    const cancelled = count("cancelled");
    fill(said, !all ? current.length === 1 ? current[0].state : text.files.progress(ended, current.length)
      : cancelled === current.length ? text.files.cancelled(cancelled)
        : current.every((one) => !one.file) && count("failed") === 0 ? text.files.foldersMade(current.length)
          : text.files.outcome(current.filter((one) => one.file && one.end === "done").length, count("failed") + cancelled));
    if (folded.open) for (const one of current) row(one).draw();
    follow(current.find((one) => !one.end && one.sent !== undefined));
  }

  /** Brings the file that is being sent into view, unless the person has scrolled the list. @param {Upload | undefined} one */
  function follow(one) {
    if (!folded.open || !one || one === followed || isTheirs) return;
    followed = one;
    const { element: item } = row(one);
    list.scrollTop += item.getBoundingClientRect().top - list.getBoundingClientRect().top;
  }

  /** @param {Upload} one */
  function row(one) {
    const known = rows.get(one);
    if (known) return known;
    const state = h("span", {});
    const stop = button({ name: text.files.cancelUpload(one.path), icon: "close", kind: "plain small", quiet: true, onclick: () => {
      cancelUploads([one]);
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

  draw();
  return { element, draw };
}
