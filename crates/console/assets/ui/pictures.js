// Two versions of a picture: side by side, and over each other with a slider between them.

import { text } from "../text.js";
import { h } from "./dom.js";
import { picture } from "./media.js";

/** @typedef {{ blob: Blob, type: string, said: string }} Version */

/** @param {Version} before @param {Version} after @param {string} name */
export function comparePictures(before, after, name) {
  const show = (/** @type {Version} */ one) => picture(one.blob, one.type, `${name}: ${one.said}`);
  // The pictures side by side are those that a screen reader tells of.
  const layer = (/** @type {Version} */ one) => h("div", { class: "layer", "aria-hidden": "true" }, picture(one.blob, one.type, ""));
  const stack = h("div", { class: "stack" }, layer(before), layer(after));
  const range = h("input", { type: "range", min: 0, max: 100, value: 50, "aria-label": text.versions.slider(name) });
  const set = () => {
    stack.style.setProperty("--at", `${range.value}%`);
    range.setAttribute("aria-valuetext", text.versions.sliderAt(Number(range.value)));
  };
  range.addEventListener("input", set);
  set();
  return h("div", { class: "pictures" },
    h("div", { class: "side-by-side" }, [before, after].map((one) => h("figure", {}, show(one), h("figcaption", { class: "soft" }, one.said)))),
    h("div", { class: "slid" }, stack, h("div", { class: "slider" }, h("span", { class: "soft" }, text.versions.before), range,
      h("span", { class: "soft" }, text.versions.after))));
}
