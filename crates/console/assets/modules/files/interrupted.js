// The uploads that a reload or a failure has interrupted: they go on with the same file, or are forgotten.

import { forget, unfinished } from "../../api/files.js";
import { text } from "../../text.js";
import { button, fill, h } from "../../ui/dom.js";

/** The interrupted uploads to a branch. @param {string} place */
export function interruptedUploads(place) {
  const element = h("ul", { class: "interrupted" });
  function draw() {
    fill(element, unfinished(place).map((one) => h("li", {}, h("span", { dir: "auto" }, text.files.interrupted(one.name)),
      button({ name: text.files.forget, kind: "plain", onclick: () => {
        void forget(place, one);
        draw();
      } }))));
  }
  draw();
  return { element, draw };
}
