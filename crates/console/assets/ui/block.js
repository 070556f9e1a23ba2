// A block of code or of output.

import { h } from "./dom.js";

/** A block of code. @param {string} content @param {string} [label] */
export function code(content, label) {
  return h("pre", { class: "block", tabindex: "0", role: label ? "group" : undefined, "aria-label": label }, content);
}
