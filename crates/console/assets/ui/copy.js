// Text to take elsewhere: shown whole, selected by a click, copied by a button.

import { button, h } from "./dom.js";
import { toast } from "./toast.js";
import { text } from "../text.js";

/** A text with a button that copies it. @param {string} label @param {string} value */
export function copyable(label, value) {
  const shown = h("input", { type: "text", readonly: true, value, "aria-label": label, class: "copied-text",
    onfocus: () => shown.select() });
  const copy = () => {
    shown.select();
    // Browsers give the clipboard on secure origins alone; there the selected text can be copied by hand.
    if (navigator.clipboard) void navigator.clipboard.writeText(value).then(() => toast(text.files.copied));
  };
  return h("div", { class: "copyable" }, h("span", { class: "soft" }, label),
    h("div", {}, shown, button({ name: `${text.files.copy}: ${label}`, icon: "copy", quiet: true, onclick: copy })));
}
