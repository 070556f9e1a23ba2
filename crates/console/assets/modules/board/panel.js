// The panel of a card: its fields, what it is related to, and its activity.

import { all, get } from "../../api/client.js";
import { text } from "../../text.js";
import { button, fill, h, icon, mark } from "../../ui/dom.js";
import { dot } from "../../ui/menu.js";
import { toast } from "../../ui/toast.js";
import { activity } from "./activity.js";
import { descriptionField, lineField, nameField } from "./fields.js";
import { pickAssignees, pickColumn, pickObject, pickTags } from "./pickers.js";
import { cardStore } from "./store.js";

/**
 * @typedef {{ columns: () => { status: any }[], move: (card: string, to: string, end: "top" | "bottom") => void }} Place
 */

/**
 * The content of a panel. `place` is the board that the card is seen on, if it is.
 * @param {string} project @param {string} id
 * @param {{ close?: () => void, changed: () => void, place?: Place, columnOf?: (card: string) => string,
 *   boards?: (team: string) => string }} options `boards` is the path of a team's board, for a card seen alone
 */
export async function cardPanel(project, id, { close, changed, place, columnOf, boards }) {
  const store = await cardStore(project, id);
  /** @type {[any[], { tags: any[] }]} */
  let [members, { tags }] = await Promise.all([all(`/projects/${project}/members`, "members"), get(`/projects/${project}/card-tags`)]);
  // Columns that the card has left are named by those of its boards.
  /** @type {any[]} */
  const statuses = boards ? (await Promise.all(store.now().indexCard.team_ids.map((/** @type {string} */ team) =>
    all(`${boards(team)}/statuses`, "statuses").catch(() => [])))).flat() : [];
  /** @type {Map<string, string>} */
  const objects = new Map();
  const column = h("div", { class: "values" });
  const assignees = h("div", { class: "values" });
  const labels = h("div", { class: "values" });
  const links = h("div", { class: "values links" });
  const state = h("span", {});
  const touched = () => {
    changed();
    log.refresh();
  };
  const subject = () => ({ project, id, changed: refresh });
  async function reread() {
    ({ tags } = await get(`/projects/${project}/card-tags`));
    await store.refresh();
    log.refresh();
  }
  async function refresh() {
    await reread();
    changed();
  }

  /** @param {any} person */
  const nameOf = (person) => members.find((member) => member.userId === person)?.name ?? text.card.former;
  const names = async () => {
    const known = await all(`/projects/${project}/members`, "members").catch(() => members);
    members = known;
    ({ tags } = await get(`/projects/${project}/card-tags`));
    return {
      person: nameOf,
      column: (/** @type {string} */ one) =>
        place?.columns().find(({ status }) => status.id === one)?.status.name
        ?? store.now().indexCard.team_statuses.find((/** @type {any} */ status) => status.status_id === one)?.status_name
        ?? statuses.find((status) => status.id === one)?.name ?? text.card.goneColumn,
      tag: (/** @type {string} */ one) => tags.find((tag) => tag.id === one)?.name ?? text.card.goneTag,
      object: (/** @type {string} */ one) => objects.get(one) ?? text.card.goneObject,
    };
  };

  function draw() {
    const { card, indexCard, objectIds } = store.now();
    fill(state, button({ name: card.is_open ? text.card.closes : text.card.reopens, icon: card.is_open ? "check" : undefined, kind: "small",
      onclick: () => void store.change({ isOpen: !store.now().card.is_open }).then(touched, fail) }));
    const at = columnOf?.(id);
    const status = place?.columns().find((one) => one.status.id === at)?.status;
    if (place && at && status) {
      const move = button({ name: status.name, kind: "plain small chooser", onclick: () => pickColumn(move, { columns: place.columns(), at,
        move: (to, end) => {
          place.move(id, to, end);
          draw();
        } }) });
      move.prepend(dot(status.color));
      move.setAttribute("aria-label", `${text.card.column}: ${status.name}`);
      fill(column, move);
    } else {
      fill(column, indexCard.team_statuses.map((/** @type {any} */ one) => h("span", { class: "tag" }, dot(one.status_color),
        boards ? h("a", { href: `${boards(one.team_id)}?card=${id}`, dir: "auto" }, one.status_name) : h("span", { dir: "auto" }, one.status_name))),
        indexCard.team_statuses.length === 0 ? h("span", { class: "soft" }, text.card.noBoard) : null);
    }
    const assign = button({ name: text.card.assign, icon: "plus", kind: "plain small", quiet: true,
      onclick: () => void pickAssignees(assign, { ...subject(), has: store.now().indexCard.user_ids }).catch(fail) });
    fill(assignees, indexCard.user_ids.map((/** @type {string} */ person) => h("span", { class: "tag" }, mark(nameOf(person)),
      h("span", { dir: "auto" }, nameOf(person)))), assign);
    const addTag = button({ name: text.card.tag, icon: "plus", kind: "plain small", quiet: true,
      onclick: () => void pickTags(addTag, { ...subject(), has: store.now().indexCard.tag_ids }).catch(fail) });
    fill(labels, indexCard.tag_ids.flatMap((/** @type {string} */ one) => {
      const tag = tags.find((known) => known.id === one);
      return tag ? [h("span", { class: "tag" }, dot(tag.color), h("span", { dir: "auto" }, tag.name))] : [];
    }), addTag);
    const addLink = button({ name: text.card.link, icon: "plus", kind: "plain small", quiet: true,
      onclick: () => void pickObject(addLink, { ...subject(), has: store.now().objectIds }).catch(fail) });
    fill(links, objectIds.map((object) => h("span", { class: "tag" }, icon("file"),
      h("a", { href: `/projects/${project}?object=${object}`, dir: "auto" }, objects.get(object) ?? text.card.object),
      button({ name: text.card.unlink(objects.get(object) ?? text.card.object), icon: "close", kind: "plain small", quiet: true,
        onclick: () => void store.relate("objects", object, false).then(touched, fail) }))), addLink);
    void nameObjects(objectIds);
  }

  /** @param {string[]} ids */
  async function nameObjects(ids) {
    const unknown = ids.filter((one) => !objects.has(one)).slice(0, 50);
    if (unknown.length === 0) return;
    for (const one of unknown) objects.set(one, text.card.object);
    await Promise.all(unknown.map((one) => get(`/projects/${project}/objects/${one}`)
      .then(({ object }) => objects.set(one, object.name), () => {})));
    draw();
    log.refresh();
  }

  /** @param {unknown} error */
  function fail(error) {
    toast(error instanceof Error ? error.message : String(error), { bad: true });
    // The reason is told already.
    void store.refresh().catch(() => {});
  }

  const log = activity(store.path, names);
  draw();
  store.hear(draw);
  let head = store.now().historyHeadId;
  store.hear(() => {
    if (head === store.now().historyHeadId) return;
    head = store.now().historyHeadId;
    touched();
  });
  const fact = (/** @type {string} */ label, /** @type {Node} */ value) => [h("dt", {}, label), h("dd", {}, value)];
  const element = h("article", { class: "card-panel", "data-panel": id },
    h("div", { class: "panel-head" }, state, h("span", { class: "gap" }),
      close ? h("a", { class: "button plain small", href: `/projects/${project}/cards/${id}`, title: text.card.page,
        "aria-label": text.card.page }, icon("expand")) : null,
      button({ name: text.card.copyLink, icon: "copy", kind: "plain small", quiet: true,
        onclick: () => void navigator.clipboard.writeText(location.href).then(() => toast(text.files.copied), fail) }),
      close ? button({ name: text.close, icon: "close", kind: "plain small", quiet: true, onclick: close }) : null),
    h("h2", { class: "unseen" }, text.card.title), ...nameField(store),
    h("dl", { class: "card-fields" },
      fact(text.card.column, column), fact(text.card.assignees, assignees), fact(text.card.tags, labels),
      fact(text.board.effort, lineField(store, { name: "effort", label: text.board.effort, type: "number", id: "field-card-effort",
        from: (card) => (card.effort ? String(card.effort) : ""), to: (typed) => Number(typed) })),
      fact(text.board.due, lineField(store, { name: "deadline", label: text.board.due, type: "date", id: "field-card-due",
        from: (card) => card.deadline?.slice(0, 10) ?? "", to: (typed) => (typed ? `${typed}T00:00:00Z` : null) })),
      fact(text.card.objects, links)),
    descriptionField(store), log.element);
  return { element, refresh: reread };
}
