// The fields of a card, changed in place. A refusal stands beside the field, and nothing typed is lost.

import { text } from "../../text.js";
import { sendByKey } from "../../ui/actions.js";
import { button, fill, h } from "../../ui/dom.js";
import { draftOf } from "../../ui/drafts.js";
import { isLate } from "../../ui/due.js";
import { markdown } from "../../ui/markdown.js";
import { theirs } from "./store.js";

/** @typedef {import("./store.js").Store} Store */

/**
 * Saves a field. Where somebody else changed it since `head`, both texts are shown, and the person decides.
 * @param {Store} store @param {string} name @param {unknown} value @param {string} head the card's head when the change
 *   was begun @param {HTMLElement} failure @param {(isSaved: boolean) => void} done
 */
async function save(store, name, value, head, failure, done) {
  fill(failure);
  try {
    await store.change({ [name]: value }, head);
    done(true);
  } catch (error) {
    const other = theirs(error, name);
    if (!other) return fill(failure, error instanceof Error ? error.message : String(error));
    // Their text is in the refusal: the conflict is shown without the rest of the card, too.
    await store.refresh().catch(() => {});
    const said = String(other.value ?? "");
    fill(failure, h("span", {}, text.card.conflict),
      h("blockquote", { dir: "auto" }, name === "deadline" ? said.slice(0, 10) : said || "–"),
      h("span", { class: "actions" },
        button({ name: text.card.takeTheirs, onclick: () => {
          fill(failure);
          done(false);
        } }),
        button({ name: text.card.keepMine, onclick: () => void save(store, name, value, store.now().historyHeadId, failure, done) })));
  }
}

/** The name, as a heading that can be typed in. @param {Store} store */
export function nameField(store) {
  const failure = h("div", { class: "failure", role: "alert" });
  const input = h("textarea", { id: "field-card-name", class: "card-name", rows: 1, "aria-label": text.board.name,
    dir: "auto", maxlength: 255 });
  let [dirty, head] = [false, ""];
  const show = () => {
    if (!dirty) input.value = store.now().card.name;
  };
  const done = () => {
    dirty = false;
    show();
  };
  input.addEventListener("input", () => {
    if (!dirty) head = store.now().historyHeadId;
    dirty = true;
  });
  input.addEventListener("keydown", (event) => {
    if (event.key === "Enter") {
      event.preventDefault();
      input.blur();
    }
    if (event.key === "Escape" && dirty) {
      event.stopPropagation();
      done();
    }
  });
  input.addEventListener("blur", () => {
    if (!dirty) return;
    if (input.value.trim() === store.now().card.name) return done();
    const sent = input.value;
    // What was typed since then stays.
    void save(store, "name", sent, head, failure, (isSaved) => { if (!isSaved || input.value === sent) done(); });
  });
  show();
  store.hear(show);
  return [input, failure];
}

/** The description: Markdown to read, its text to change by the person `me`. @param {Store} store @param {string} me */
export function descriptionField(store, me) {
  const draft = draftOf(me, `${store.path}/description`);
  /** The head of the text that the draft began with: it outlives a reload, too. */
  const base = draftOf(me, `${store.path}/description/head`);
  const failure = h("div", { class: "failure", role: "alert" });
  const said = h("p", { class: "soft", role: "status" });
  const place = h("div", { class: "description" });
  let editing = false;

  const read = () => {
    const { description } = store.now().card;
    editing = false;
    if (!description) return edit(false);
    fill(place, h("div", { class: "section-head" }, h("h3", {}, text.board.description),
      button({ name: text.card.editDescription, icon: "pencil", kind: "plain small", quiet: true, onclick: () => edit(true) })),
    markdown(description));
  };
  /** @param {boolean} focus */
  const edit = (focus) => {
    const before = store.now().card.description;
    const head = (draft.read() === null ? null : base.read()) ?? store.now().historyHeadId;
    const input = h("textarea", { id: "field-card-description", rows: focus ? 8 : 2, "aria-label": text.board.description,
      placeholder: text.card.describe, value: draft.read() ?? before, dir: "auto" });
    const end = () => {
      draft.end();
      base.end();
      fill(failure);
      read();
    };
    const send = () => {
      if (input.value === before) return end();
      input.readOnly = true;
      return void save(store, "description", input.value, head, failure, (isSaved) => {
        end();
        if (isSaved) fill(said, text.board.saved);
      }).finally(() => { input.readOnly = false; });
    };
    const actions = h("div", { class: "actions", hidden: !focus && draft.read() === null }, h("span", { class: "soft help" }, text.card.markdown),
      button({ name: text.cancel, onclick: end }), button({ name: text.board.save, kind: "primary", onclick: send }));
    // A field that has the focus is not drawn again.
    input.addEventListener("focus", () => {
      actions.hidden = false;
      editing = true;
    });
    input.addEventListener("blur", () => {
      if (focus || input.value !== before) return;
      editing = false;
      if (store.now().card.description !== before) read();
    });
    input.addEventListener("input", () => {
      editing = true;
      fill(said);
      draft.keep(input.value);
      base.keep(head);
    });
    sendByKey(input, send);
    input.addEventListener("keydown", (event) => {
      if (event.key !== "Escape") return;
      event.stopPropagation();
      if (input.value === before) end();
      else input.blur();
    });
    editing = focus || draft.read() !== null;
    fill(place, h("div", { class: "section-head" }, h("h3", {}, text.board.description)), input, actions);
    if (focus) input.focus();
  };
  if (draft.read() !== null) edit(true);
  else read();
  store.hear(() => { if (!editing) read(); });
  return h("section", {}, place, failure, said);
}

/**
 * A field of one line that is saved when it is left.
 * @param {Store} store @param {{ name: string, label: string, type: string, id: string, from: (card: any) => string,
 *   to: (typed: string) => unknown, empty?: string }} options `empty` stands where there is no value
 */
export function lineField(store, { name, label, type, id, from, to, empty }) {
  const failure = h("div", { class: "failure", role: "alert" });
  const input = h("input", { id, type, min: type === "number" ? 0 : undefined, "aria-label": label, placeholder: empty, class: "quiet-input" });
  let [dirty, head] = [false, ""];
  const show = () => {
    const { card } = store.now();
    if (!dirty) input.value = from(card);
    input.classList.toggle("late", type === "date" && card.is_open && Boolean(card.deadline) && isLate(card.deadline));
  };
  const done = () => {
    dirty = false;
    show();
  };
  input.addEventListener("input", () => {
    if (!dirty) head = store.now().historyHeadId;
    dirty = true;
  });
  const leave = () => {
    const sent = input.value;
    if (!dirty || sent === from(store.now().card)) return done();
    void save(store, name, to(sent), head, failure, (isSaved) => { if (!isSaved || input.value === sent) done(); });
  };
  input.addEventListener("blur", leave);
  input.addEventListener("keydown", (event) => {
    if (event.key === "Enter") leave();
    if (event.key === "Escape" && dirty) {
      event.stopPropagation();
      done();
    }
  });
  show();
  store.hear(show);
  return h("div", {}, input, failure);
}
