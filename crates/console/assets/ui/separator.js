// The line between two parts of a page: it moves by the pointer and by arrow keys, and the browser remembers its place.

import { h } from "./dom.js";

const STEP_PX = 16;

/**
 * A separator that sets the width of a part as a property of `target`. With `fromEnd` the part is at the line's other side.
 * @param {{ label: string, name: string, target: HTMLElement, width: number, least: number, most: number, fromEnd?: boolean }} options
 */
export function separator({ label, name, target, width, least, most, fromEnd = false }) {
  const key = `width:${name}`;
  const line = h("div", { class: "separator", role: "separator", tabindex: "0", "aria-orientation": "vertical", "aria-label": label,
    "aria-valuemin": least, "aria-valuemax": most });
  let now = width;

  /** @param {number} wanted */
  function set(wanted) {
    now = Math.round(Math.min(most, Math.max(least, wanted)));
    target.style.setProperty(`--${name}-width`, `${now}px`);
    line.setAttribute("aria-valuenow", String(now));
  }
  /** @param {number} wanted */
  function keep(wanted) {
    set(wanted);
    localStorage.setItem(key, String(now));
  }

  line.addEventListener("keydown", (event) => {
    /** @type {Record<string, number>} */
    const steps = { ArrowLeft: now + (fromEnd ? STEP_PX : -STEP_PX), ArrowRight: now + (fromEnd ? -STEP_PX : STEP_PX), Home: least, End: most };
    const wanted = steps[event.key];
    if (wanted === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    event.stopPropagation();
    keep(wanted);
  });
  line.addEventListener("pointerdown", (event) => {
    const [from, before] = [event.clientX, now];
    line.setPointerCapture(event.pointerId);
    const move = (/** @type {PointerEvent} */ at) => set(before + (fromEnd ? from - at.clientX : at.clientX - from));
    line.addEventListener("pointermove", move);
    line.addEventListener("lostpointercapture", () => {
      line.removeEventListener("pointermove", move);
      keep(now);
    }, { once: true });
  });
  line.addEventListener("dblclick", () => keep(width));
  set(Number(localStorage.getItem(key)) || width);
  return line;
}
