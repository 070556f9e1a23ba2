// The panel of a card: its fields, what it is related to, and its activity.

import { all, get, put } from "../../api/client.js";
import { caller } from "../../api/people.js";
import { open } from "../../router.js";
import { text } from "../../text.js";
import { button, fill, h, icon, mark } from "../../ui/dom.js";
import { dot, menu } from "../../ui/menu.js";
import { toast } from "../../ui/toast.js";
import { activity } from "./activity.js";
import { descriptionField, lineField, nameField } from "./fields.js";
import { pickAssignees, pickColumn, pickObject, pickSprint, pickTags } from "./pickers.js";
import { askDelete, takeOff } from "./removal.js";
import { cardStore } from "./store.js";

/**
 * @typedef {{ path: string, columns: () => { status: any }[], move: (card: string, to: string, end: "top" | "bottom") => void }} Place
 */

/**
 * The content of a panel. `place` is the board that the card is seen on, if it is.
 * @param {string} project @param {string} id
 * @param {{ close?: () => void, changed: () => void, place?: Place, columnOf?: (card: string) => string,
 *   boards?: (team: string) => string }} options `boards` is the path of a team's board, for a card seen alone
 */
export async function cardPanel(project, id, { close, changed, place, columnOf, boards }) {
  const sprintsOf = (/** @type {string} */ path) => all(`${path}/sprints`, "sprints").catch(() => []);
  const beside = place ? sprintsOf(place.path) : [];
  /** @type {[import("./store.js").Store, any[], { tags: any[] }, { id: string }]} */
  let [store, members, { tags }, { id: me }] = await Promise.all([cardStore(project, id), all(`/projects/${project}/members`, "members"),
    get(`/projects/${project}/card-tags`), caller()]);
  // Columns that the card has left are named by those of its boards.
  /** @type {any[]} */
  const statuses = boards ? (await Promise.all(store.now().indexCard.team_ids.map((/** @type {string} */ team) =>
    all(`${boards(team)}/statuses`, "statuses").catch(() => [])))).flat() : [];
  const paths = place ? [place.path] : boards ? store.now().indexCard.team_ids.map(boards) : [];
  /** The sprints of the boards, by their paths. @type {Map<string, any[]>} */
  const sprints = new Map(await Promise.all(paths.map(async (/** @type {string} */ path) =>
    /** @type {[string, any[]]} */ ([path, await (path === place?.path ? beside : sprintsOf(path))]))));
  /** @type {Map<string, string>} */
  const objects = new Map();
  const sprintPlace = h("div", { class: "values" });
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
    for (const [path, old] of sprints) sprints.set(path, await sprintsOf(path).then((now) => (now.length > 0 ? now : old)));
    ({ tags } = await get(`/projects/${project}/card-tags`));
    return {
      person: nameOf,
      column: (/** @type {string} */ one) =>
        place?.columns().find(({ status }) => status.id === one)?.status.name
        ?? store.now().indexCard.team_statuses.find((/** @type {any} */ status) => status.status_id === one)?.status_name
        ?? statuses.find((status) => status.id === one)?.name ?? text.card.goneColumn,
      tag: (/** @type {string} */ one) => tags.find((tag) => tag.id === one)?.name ?? text.card.goneTag,
      sprint: (/** @type {string} */ one) => [...sprints.values()].flat().find((known) => known.id === one)?.name ?? text.card.goneSprint,
      object: (/** @type {string} */ one) => objects.get(one) ?? text.card.goneObject,
    };
  };

  function draw() {
    const { card, indexCard, objectIds } = store.now();
    fill(state, button({ name: card.is_open ? text.card.closes : text.card.reopens, icon: card.is_open ? "check" : undefined, kind: "small",
      onclick: () => void store.change({ isOpen: !store.now().card.is_open }).then(closed, fail) }));
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
    drawSprints();
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

  /** A done card goes to the column for done cards. Without one, the person is told where it stays. */
  function closed() {
    touched();
    const [isOpen, at] = [store.now().card.is_open, columnOf?.(id)];
    const status = place?.columns().find((one) => one.status.id === at)?.status;
    if (!place || !status || isOpen !== (status.transition_state === "closed")) return;
    const to = isOpen ? null : place.columns().find((one) => one.status.transition_state === "closed");
    if (to) {
      place.move(id, to.status.id, "bottom");
      return draw();
    }
    const choose = () => /** @type {HTMLElement | null} */ (column.querySelector("button"))?.click();
    toast(isOpen ? text.card.openIn(status.name) : text.card.doneIn(status.name), { act: { name: text.card.moveTo, run: choose } });
  }

  function drawSprints() {
    const { team_statuses: on } = store.now().indexCard;
    fill(sprintPlace, [...sprints].flatMap(([path, known]) => {
      const team = path.split("/").at(-1);
      const own = on.find((/** @type {any} */ one) => one.team_id === team);
      if (!own) return [];
      const name = known.find((one) => one.id === own.sprint_id)?.name ?? text.card.noSprint;
      const chooser = button({ name, kind: "plain small chooser", onclick: () => pickSprint(chooser, known, own.sprint_id, (to) =>
        put(`${path}/cards/${id}`, { sprintId: to }).then(refresh, fail)) });
      chooser.setAttribute("aria-label", `${text.card.sprint}: ${name}`);
      return [chooser];
    }));
    if (sprintPlace.childElementCount === 0) fill(sprintPlace, h("span", { class: "soft" }, text.card.noSprint));
  }

  /** The card's own menu. @param {Element} anchor */
  function more(anchor) {
    const card = { id, name: store.now().card.name };
    const gone = () => {
      if (!close) return void open(`/projects/${project}`);
      close();
      changed();
    };
    const at = columnOf?.(id);
    /** @type {{ path: string, column: string, name: string, changed: () => unknown }[]} */
    const on = place && at ? [{ path: place.path, column: at, name: text.card.takeOff, changed: gone }]
      : store.now().indexCard.team_statuses.filter(() => boards).map((/** @type {any} */ one, /** @type {number} */ _, /** @type {any[]} */ all) =>
        ({ path: boards?.(one.team_id) ?? "", column: one.status_id, changed: refresh,
          name: all.length === 1 ? text.card.takeOff : `${text.card.takeOff}: ${one.status_name}` }));
    menu(anchor, { label: text.card.actions(card.name), entries: [
      ...on.map(({ path, name, changed: done }) => ({ name, lead: () => icon("close"), run: () => takeOff(path, card, done) })),
      { name: text.card.asksDelete, lead: () => icon("bin"), danger: true, run: () => askDelete(project, card, gone) }] });
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

  const log = activity(store.path, me, names);
  draw();
  store.hear(draw);
  let head = store.now().historyHeadId;
  store.hear(() => {
    if (head === store.now().historyHeadId) return;
    head = store.now().historyHeadId;
    touched();
  });
  const acts = button({ name: text.files.actions, icon: "dots", kind: "plain small", quiet: true, onclick: () => more(acts) });
  acts.setAttribute("aria-haspopup", "menu");
  const fact = (/** @type {string} */ label, /** @type {Node} */ value) => [h("dt", {}, label), h("dd", {}, value)];
  const element = h("article", { class: "card-panel", "data-panel": id },
    h("div", { class: "panel-head" }, state, h("span", { class: "gap" }),
      close ? h("a", { class: "button plain small", href: `/projects/${project}/cards/${id}`, title: text.card.page,
        "aria-label": text.card.page }, icon("expand")) : null,
      button({ name: text.card.copyLink, icon: "copy", kind: "plain small", quiet: true,
        onclick: () => void navigator.clipboard.writeText(location.href).then(() => toast(text.files.copied), fail) }),
      acts,
      close ? button({ name: text.close, icon: "close", kind: "plain small", quiet: true, onclick: close }) : null),
    h("h2", { class: "unseen" }, text.card.title), ...nameField(store),
    h("dl", { class: "card-fields" },
      fact(text.card.column, column), sprints.size > 0 ? fact(text.card.sprint, sprintPlace) : [], fact(text.card.assignees, assignees), fact(text.card.tags, labels),
      fact(text.board.effort, lineField(store, { name: "effort", label: text.board.effort, type: "number", id: "field-card-effort", empty: text.card.noEffort,
        from: (card) => (card.effort ? String(card.effort) : ""), to: (typed) => Number(typed) })),
      fact(text.board.due, lineField(store, { name: "deadline", label: text.board.due, type: "date", id: "field-card-due",
        from: (card) => card.deadline?.slice(0, 10) ?? "", to: (typed) => typed || null })),
      fact(text.card.objects, links)),
    descriptionField(store, me), log.element);
  return { element, name: store.now().card.name, refresh: reread };
}
