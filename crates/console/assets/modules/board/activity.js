// The activity of a card: its comments, and its history as sentences, oldest first.

import { all, get, newKey, patch, post, remove } from "../../api/client.js";
import { text } from "../../text.js";
import { sendByKey } from "../../ui/actions.js";
import { ask } from "../../ui/dialog.js";
import { button, fill, h, mark, moment } from "../../ui/dom.js";
import { draftOf } from "../../ui/drafts.js";
import { markdown } from "../../ui/markdown.js";

/**
 * @typedef {{ person: (id: string) => string, column: (id: string) => string, tag: (id: string) => string,
 *   object: (id: string) => string, sprint: (id: string) => string }} Names
 */

const PAGES = 5;
const PAUSE_MS = 60;

/**
 * The activity of the card at `path`, as the person `me` sees it. Names of what the history refers to come from `names`,
 * when it is drawn.
 * @param {string} path @param {string} me @param {() => Promise<Names>} names
 */
export function activity(path, me, names) {
  const list = h("ol", { class: "activity" });
  const failure = h("p", { class: "failure", role: "alert" });
  let [turn, busy, timer] = [0, false, 0];

  /** Reads again, once for many causes of a moment. */
  function refresh() {
    clearTimeout(timer);
    timer = window.setTimeout(() => void read().catch((error) => fill(failure, error.message)), PAUSE_MS);
  }

  async function read() {
    // A comment that is being changed is not drawn again.
    if (busy) return;
    const own = ++turn;
    const [comments, rows, known] = await Promise.all([all(`${path}/comments`, "comments"), history(path), names()]);
    if (own !== turn || busy) return;
    const entries = [
      ...comments.map((comment) => ({ at: comment.createdAt, element: () => commentView(comment, comment.authorId === me) })),
      ...rows.flatMap((row) => {
        const said = sentence(row, known);
        return said ? [{ at: row.occurredAt, element: () => line(row, said, known) }] : [];
      }),
    ].sort((one, other) => one.at.localeCompare(other.at));
    fill(list, entries.map((entry) => entry.element()));
  }

  /** @param {any} comment @param {boolean} own */
  function commentView(comment, own) {
    const body = h("div", {}, markdown(comment.body));
    const draft = draftOf(me, `${path}/comments/${comment.id}`);
    const edit = () => {
      busy = true;
      const rest = () => {
        draft.end();
        busy = false;
        refresh();
      };
      fill(body, editor({ label: text.card.editComment, action: text.board.save, value: draft.read() ?? comment.body,
        typed: draft.keep, cancel: rest,
        send: async (said) => {
          await patch(`${path}/comments/${comment.id}`, { body: said });
          rest();
        } }));
      body.querySelector("textarea")?.focus();
    };
    const end = () => ask({
      title: text.card.deleteComment, action: text.card.deletes, danger: true, fields: [h("p", {}, text.card.deletesComment)],
      async send() {
        await remove(`${path}/comments/${comment.id}`);
        refresh();
      },
    });
    return h("li", { class: "comment", "data-comment": comment.id }, h("div", { class: "comment-head" }, mark(comment.authorDisplayName),
      h("strong", { dir: "auto" }, comment.authorDisplayName), h("span", { class: "soft" }, moment(comment.createdAt)),
      comment.updatedAt === comment.createdAt ? null : h("span", { class: "soft" }, text.card.edited),
      own ? h("span", { class: "comment-acts" },
        button({ name: text.card.editComment, icon: "pencil", kind: "plain small", quiet: true, onclick: edit }),
        button({ name: text.card.deleteComment, icon: "bin", kind: "plain small", quiet: true, onclick: end })) : null), body);
  }

  let key = newKey();
  const draft = draftOf(me, `${path}/comments`);
  const composer = editor({
    label: text.card.comment, action: text.card.comments, value: draft.read() ?? "", typed: draft.keep,
    async send(said) {
      await post(`${path}/comments`, { body: said }, { key });
      key = newKey();
      draft.end();
      const input = composer.querySelector("textarea");
      if (input) input.value = "";
      refresh();
    },
  });
  refresh();
  return { element: h("section", {}, h("h3", {}, text.card.activity), list, failure, composer), refresh };
}

/** @param {{ label: string, action: string, value: string, send: (said: string) => Promise<void>, cancel?: () => void,
 *   typed?: (said: string) => void }} options */
function editor({ label, action, value, send, cancel, typed }) {
  const failure = h("p", { class: "failure", role: "alert" });
  const input = h("textarea", { rows: 3, "aria-label": label, placeholder: label, value, dir: "auto" });
  const submit = button({ name: action, onclick: () => void go() });
  const go = async () => {
    if (submit.disabled) return;
    if (input.value.trim() === "") return input.focus();
    submit.disabled = true;
    fill(failure);
    try {
      await send(input.value);
    } catch (error) {
      fill(failure, error instanceof Error ? error.message : String(error));
    } finally {
      submit.disabled = false;
    }
  };
  input.addEventListener("input", () => typed?.(input.value));
  sendByKey(input, () => void go());
  input.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    event.stopPropagation();
    if (cancel) cancel();
    else input.blur();
  });
  return h("div", { class: "editor" }, input, failure, h("div", { class: "actions" },
    cancel ? button({ name: text.cancel, onclick: cancel }) : null, submit));
}

/** @param {string} path @returns {Promise<any[]>} */
async function history(path) {
  const rows = [];
  for (let [page, after] = [0, "0"]; page < PAGES; page += 1) {
    const found = await get(`${path}/history?limit=100&after=${after}`);
    rows.push(...found.history);
    if (!found.meta.hasMore) break;
    after = found.meta.nextAfter;
  }
  return rows;
}

/** @param {any} row @param {string} said @param {Names} names */
function line(row, said, names) {
  const actor = names.person(row.actor.userId);
  return h("li", { class: "event" }, mark(actor), h("span", { dir: "auto" }, h("strong", {}, h("bdi", {}, actor)),
    row.actor.sessionId ? ` ${text.card.byAgent}` : "", ` ${said}`), h("span", { class: "soft" }, moment(row.occurredAt)));
}

/** A row of the history in words; `null` for one that says nothing to people. @param {any} row @param {Names} names */
function sentence(row, names) {
  const words = text.card.history;
  const of = (/** @type {string} */ field) => row.changes[field] ?? { before: null, after: null };
  const one = (/** @type {string} */ field) => of(field).after ?? of(field).before;
  const place = of("team_placement");
  switch (row.kind) {
    case "created": return words.created;
    case "assigned": return words.assigned(names.person(one("user_id")));
    case "unassigned": return words.unassigned(names.person(one("user_id")));
    case "tagged": return words.tagged(names.tag(one("tag_id")));
    case "untagged": return words.untagged(names.tag(one("tag_id")));
    case "closed": return words.closed;
    case "reopened": return words.reopened;
    case "placed": return words.placed(names.column(place.after?.status_id));
    case "removed": return words.removed(names.column(place.before?.status_id));
    case "linked": return words.linked(names.object(one("object_id")));
    case "unlinked": return words.unlinked(names.object(one("object_id")));
    case "commented": return of("comment").after === null ? words.uncommented : null;
    case "moved":
      if (place.before?.status_id !== place.after?.status_id) {
        return words.moved(names.column(place.before?.status_id), names.column(place.after?.status_id));
      }
      if (place.before?.sprint_id !== place.after?.sprint_id) {
        return place.after?.sprint_id ? words.sprint(names.sprint(place.after.sprint_id)) : words.noSprint(names.sprint(place.before?.sprint_id));
      }
      return null;
    case "updated": {
      const { name, effort, deadline } = row.changes;
      if (name) return words.renamed(name.before);
      if (effort) return words.estimated(effort.after);
      if (deadline) return deadline.after ? words.due(new Date(deadline.after).toLocaleDateString(undefined, { timeZone: "UTC" })) : words.notDue;
      return words.changed(Object.keys(row.changes).map((field) => /** @type {any} */ (words.fields)[field] ?? field).join(", "));
    }
    default: return null;
  }
}
