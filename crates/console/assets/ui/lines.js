// Two texts by lines: what was deleted and added, with a few equal lines around.

import { h } from "./dom.js";
import { text } from "../text.js";

/** @typedef {{ kind: "same" | "deleted" | "added", said: string, old: number, now: number }} Line */

/** Lines shown around a change. */
const AROUND = 3;
/** Most steps of the search; texts that differ by more are shown one after the other. */
const MOST = 1500;

/** The shortest way from one list of lines to another (Myers 1986). @param {string[]} base @param {string[]} head */
export function differences(base, head) {
  let [start, end] = [0, 0];
  while (start < base.length && start < head.length && base[start] === head[start]) start += 1;
  while (end < base.length - start && end < head.length - start
    && base[base.length - 1 - end] === head[head.length - 1 - end]) end += 1;
  const kinds = steps(base.slice(start, base.length - end), head.slice(start, head.length - end));
  /** @type {Line[]} */
  const found = [];
  let [old, now] = [0, 0];
  for (const kind of [...Array(start).fill("same"), ...kinds, ...Array(end).fill("same")]) {
    found.push({ kind, said: kind === "added" ? head[now] : base[old], old: old + 1, now: now + 1 });
    if (kind !== "added") old += 1;
    if (kind !== "deleted") now += 1;
  }
  return found;
}

/** @param {string[]} base @param {string[]} head @returns {Line["kind"][]} */
function steps(base, head) {
  /** @type {Map<number, number>[]} */
  const trace = [];
  /** @type {Map<number, number>} */
  let reached = new Map([[1, 0]]);
  const most = Math.min(MOST, base.length + head.length);
  for (let edits = 0; edits <= most; edits += 1) {
    trace.push(reached);
    reached = new Map(reached);
    for (let k = -edits; k <= edits; k += 2) {
      const down = k === -edits || (k !== edits && (reached.get(k - 1) ?? -1) < (reached.get(k + 1) ?? -1));
      let x = down ? reached.get(k + 1) ?? 0 : (reached.get(k - 1) ?? 0) + 1;
      while (x < base.length && x - k < head.length && base[x] === head[x - k]) x += 1;
      reached.set(k, x);
      if (x >= base.length && x - k >= head.length) return back(trace, base.length, head.length);
    }
  }
  return [...Array(base.length).fill("deleted"), ...Array(head.length).fill("added")];
}

/** @param {Map<number, number>[]} trace @param {number} x @param {number} y @returns {Line["kind"][]} */
function back(trace, x, y) {
  /** @type {Line["kind"][]} */
  const kinds = [];
  for (let edits = trace.length - 1; edits >= 0; edits -= 1) {
    const [k, reached] = [x - y, trace[edits]];
    const down = k === -edits || (k !== edits && (reached.get(k - 1) ?? -1) < (reached.get(k + 1) ?? -1));
    const before = down ? k + 1 : k - 1;
    const from = reached.get(before) ?? 0;
    while (x > Math.max(0, from) && y > Math.max(0, from - before) && kinds.length < 1e7) {
      kinds.push("same");
      [x, y] = [x - 1, y - 1];
    }
    if (edits > 0) {
      kinds.push(down ? "added" : "deleted");
      [x, y] = [from, from - before];
    }
  }
  return kinds.reverse();
}

/** The differing lines of two texts. @param {string} base @param {string} head @param {string} label */
export function lineView(base, head, label) {
  const all = differences(base.replace(/\n$/, "").split("\n"), head.replace(/\n$/, "").split("\n"));
  const near = new Set(all.flatMap((line, at) =>
    line.kind === "same" ? [] : Array.from({ length: 2 * AROUND + 1 }, (_, step) => at + step - AROUND)));
  /** @type {Node[]} */
  const shown = [];
  const digits = String(Math.max(all.at(-1)?.old ?? 0, all.at(-1)?.now ?? 0)).length;
  const padded = (/** @type {number | string} */ number) => String(number).padStart(digits);
  let left = 0;
  const gap = () => {
    if (left > 0) shown.push(h("span", { class: "gap" }, `${text.versions.equal(left)}\n`));
    left = 0;
  };
  all.forEach((line, at) => {
    if (!near.has(at)) {
      left += 1;
      return;
    }
    gap();
    const [tag, sign] = line.kind === "added" ? /** @type {const} */ (["ins", "+"])
      : line.kind === "deleted" ? /** @type {const} */ (["del", "−"]) : /** @type {const} */ (["span", " "]);
    shown.push(h(tag, { class: "change-line", "data-old": padded(line.kind === "added" ? "" : line.old),
      "data-now": padded(line.kind === "deleted" ? "" : line.now), "data-sign": sign }, `${line.said}\n`));
  });
  gap();
  return h("pre", { class: "code by-lines", tabindex: "0", role: "region", "aria-label": `${text.versions.lines}: ${label}` }, shown);
}
