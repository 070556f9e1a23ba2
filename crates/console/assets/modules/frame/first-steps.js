// The strip of a person's first three steps. It goes away when they are done, or when the person says so.

import { endSteps, lookAtSteps, makeFirstBoard, newOwner, steps } from "../../api/first-steps.js";
import { open } from "../../router.js";
import { text } from "../../text.js";
import { confirm } from "../../ui/confirm.js";
import { button, fill, h, icon } from "../../ui/dom.js";
import { toast } from "../../ui/toast.js";

/** The place of the strip, and how to draw it for the page that is shown. */
export function firstSteps() {
  const strip = h("section", { class: "steps", "aria-label": text.begin.steps, hidden: true });
  const end = () => {
    endSteps();
    strip.hidden = true;
  };
  async function draw() {
    if (!steps()) {
      strip.hidden = true;
      return;
    }
    const now = await lookAtSteps();
    if (!now) return;
    const make = button({ name: text.begin.makeBoard, icon: "board", onclick: async () => {
      make.disabled = true;
      try {
        const owner = await newOwner(now.project);
        const send = async () => { open(await makeFirstBoard(now.project, owner)); };
        if (!owner) return await send();
        confirm({ title: text.begin.makeBoard, says: text.begin.moves(owner.name), action: text.board.makesTeam, danger: false, send });
      } catch (error) {
        toast(error instanceof Error ? error.message : String(error), { bad: true });
      } finally {
        make.disabled = false;
      }
    } });
    fill(strip, h("ol", {}, step(true, text.begin.project),
      step(now.file, now.file ? text.begin.file : h("a", { href: `/projects/${now.project}` }, text.begin.addFile)),
      step(now.board !== "", now.board ? h("a", { href: now.board }, text.begin.board) : make)),
    button({ name: now.file && now.board ? text.begin.done : text.begin.hide, kind: "plain", onclick: end }));
    strip.hidden = false;
    // The next page has no strip: there is nothing left to do.
    if (now.file && now.board) endSteps();
  }
  return { strip, draw: () => void draw().catch(() => { strip.hidden = true; }) };
}

/** @param {boolean} done @param {Node | string} said */
function step(done, said) {
  return h("li", { class: done ? "done" : "" }, done ? icon("done") : icon("open"), said);
}
