// The fields of a card, changed in place. A refusal stands beside the field, and nothing typed is lost.

import { text } from "../../text.js";
import { button, fill, h } from "../../ui/dom.js";
import { markdown } from "../../ui/markdown.js";
import { theirs } from "./store.js";

/** @typedef {import("./store.js").Store} Store */

/** Texts that were typed and not saved, for as long as the tab is open. @type {Map<string, string>} */
const drafts = new Map();

/**
 * Saves a field. Where somebody else changed it meanwhile, both texts are shown, and the person decides.
 * @param {Store} store @param {string} name @param {unknown} value @param {HTMLElement} failure @param {() => void} done
 */
async function save(store, name, value, failure, done) {
  fill(failure);
  try {
    await store.change({ [name]: value });
    done();
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
          done();
        } }),
        button({ name: text.card.keepMine, onclick: () => void save(store, name, value, failure, done) })));
  }
}

/** The name, as a heading that can be typed in. @param {Store} store */
export function nameField(store) {
  const failure = h("div", { class: "failure", role: "alert" });
  const input = h("textarea", { id: "field-card-name", class: "card-name", rows: 1, "aria-label": text.board.name,
    dir: "auto", maxlength: 255 });
  let dirty = false;
  const show = () => {
    if (!dirty) input.value = store.now().card.name;
  };
  const done = () => {
    dirty = false;
    show();
  };
  input.addEventListener("input", () => { dirty = true; });
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
    void save(store, "name", input.value, failure, done);
  });
  show();
  store.hear(show);
  return [input, failure];
}

/** The description: Markdown to read, its text to change. @param {Store} store */
export function descriptionField(store) {
  const key = `${store.id}/description`;
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
    const input = h("textarea", { id: "field-card-description", rows: focus ? 8 : 2, "aria-label": text.board.description,
      placeholder: text.card.describe, value: drafts.get(key) ?? before, dir: "auto" });
    const end = () => {
      drafts.delete(key);
      fill(failure);
      read();
    };
    const send = () => {
      if (input.value === before) return end();
      return void save(store, "description", input.value, failure, () => {
        end();
        fill(said, text.board.saved);
      });
    };
    const actions = h("div", { class: "actions", hidden: !focus && !drafts.has(key) }, h("span", { class: "soft help" }, text.card.markdown),
      button({ name: text.cancel, onclick: end }), button({ name: text.board.save, kind: "primary", onclick: send }));
    input.addEventListener("focus", () => { actions.hidden = false; });
    input.addEventListener("input", () => {
      editing = true;
      fill(said);
      drafts.set(key, input.value);
    });
    input.addEventListener("keydown", (event) => {
      if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) send();
      if (event.key !== "Escape") return;
      event.stopPropagation();
      if (input.value === before) end();
      else input.blur();
    });
    editing = focus || drafts.has(key);
    fill(place, h("div", { class: "section-head" }, h("h3", {}, text.board.description)), input, actions);
    if (focus) input.focus();
  };
  if (drafts.has(key)) edit(true);
  else read();
  store.hear(() => { if (!editing) read(); });
  return h("section", {}, place, failure, said);
}

/**
 * A field of one line that is saved when it is left.
 * @param {Store} store @param {{ name: string, label: string, type: string, id: string, from: (card: any) => string,
 *   to: (typed: string) => unknown }} options
 */
export function lineField(store, { name, label, type, id, from, to }) {
  const failure = h("div", { class: "failure", role: "alert" });
  const input = h("input", { id, type, min: type === "number" ? 0 : undefined, "aria-label": label, class: "quiet-input" });
  let dirty = false;
  const show = () => {
    if (!dirty) input.value = from(store.now().card);
  };
  const done = () => {
    dirty = false;
    show();
  };
  input.addEventListener("input", () => { dirty = true; });
  const leave = () => {
    if (dirty && input.value !== from(store.now().card)) void save(store, name, to(input.value), failure, done);
    else done();
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
