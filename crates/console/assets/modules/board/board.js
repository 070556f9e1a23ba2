// A team's board: its columns and cards, moved by mouse, touch and keyboard.

import { get, post, put } from "../../api/client.js";
import { teamEvents, watch } from "../../api/events.js";
import { register } from "../../ui/actions.js";
import { text } from "../../text.js";
import { button, fill, h } from "../../ui/dom.js";
import { teamPlaces } from "../../ui/places.js";
import { openTeam } from "../../ui/team.js";
import { toast } from "../../ui/toast.js";
import { columnView } from "./column.js";
import { columnActions } from "./columns.js";
import { arrange } from "./drag.js";
import { filterRow } from "./filters.js";
import { boardKeys } from "./keys.js";
import { movesOf } from "./moves.js";
import { cardSide } from "./side.js";

/** @typedef {import("./column.js").Card} Card @typedef {import("./column.js").Column} Column */

/** Cards that are drawn in the first frame, and in each one after it until all are. */
const FIRST = 48;
const MORE = 120;
/** Fewest cards of a column among them. */
const LEAST = 4;

/** @type {import("../../router.js").Opener} */
export async function openBoard({ org, team: id }, search) {
  const place = `/orgs/${org}/teams/${id}`;
  const [opened, { board }] = await Promise.all([openTeam(org, id), get(`${place}/board`)]);
  const { team, projects, user: { id: me } } = opened;
  /** @type {Column[]} */
  let columns = copyOf(board);
  /** @type {Map<string, import("./column.js").ColumnView>} */
  const views = new Map();
  /** @type {import("./column.js").Drawn} */
  const drawn = new Map();
  const element = h("div", { class: "columns" });
  const spoken = h("p", { class: "unseen", role: "status", "aria-live": "assertive" });
  let budget = FIRST;
  let growing = false;
  let [asked, answered] = [0, 0];

  const cards = () => columns.flatMap((column) => column.cards);
  const filters = filterRow(search, cards, draw);
  const seen = () => columns.map(({ status, cards: own }) => ({ id: status.id, cards: own.filter(filters.fits) }));
  const moves = movesOf({ place, columns: () => columns, fits: filters.fits, reload: later,
    draw() {
      draw();
      filters.draw();
    },
    say: (message) => fill(spoken, message),
    refuse(message, again) {
      fill(spoken);
      toast(message, { bad: true, act: { name: text.errors.again, run: again } });
    } });
  const settings = columnActions(place, () => columns, reload);
  const columnOf = (/** @type {string} */ card) =>
    columns.find((column) => column.cards.some((one) => one.id === card))?.status.id ?? "";
  /** @param {string} card @param {string} to @param {"top" | "bottom"} end */
  const moveToEnd = (card, to, end) => moves.move(card, to, end === "top" ? 0 : Infinity);
  const cardElement = (/** @type {string} */ card) =>
    /** @type {HTMLElement | null} */ (element.querySelector(`[data-card="${card}"]`));
  const side = cardSide({ cards, cardElement, changed: later, columnOf,
    place: { path: place, columns: () => columns, move: moveToEnd } });
  const keys = boardKeys({ place, element, columns: () => columns, cards, columnOf, moveToEnd, changed: later, side,
    begin: (column) => views.get(column)?.begin(), filters, createColumn: () => settings.create(columns.at(-1)) });
  const stopDragging = arrange(element, { move: moves.move, columns: seen, open: side.open });
  const newColumn = h("div", { class: "new-column" }, button({ name: text.columns.create, icon: "plus", kind: "plain",
    onclick: () => settings.create(columns.at(-1)) }));

  /** Draws the board; cards that others moved are shown as they arrive. */
  function draw(arriving = false) {
    if (columns.length === 0) return fill(element, first());
    const focused = document.activeElement;
    const most = Math.max(LEAST, Math.ceil(budget / columns.length));
    const wanted = columns.map((column) => {
      const view = views.get(column.status.id) ?? columnView(column,
        { place, me, projects, add, more: keys.moveMenu, settings: settings.settings }, drawn);
      views.set(column.status.id, view);
      const own = column.cards.filter(filters.fits);
      if (own.length > most) grow();
      view.update(column, own.slice(0, most), arriving === true);
      return view.element;
    });
    // A card that changes its column is moved as it is, with the focus: it leaves its place only here.
    for (const { status } of columns) views.get(status.id)?.prune();
    wanted.push(newColumn);
    const present = [...element.children];
    if (wanted.length !== present.length || wanted.some((one, at) => one !== present[at])) {
      const across = element.scrollLeft;
      fill(element, wanted);
      element.scrollLeft = across;
    }
    side.mark();
    if (focused instanceof HTMLElement && document.activeElement === document.body) {
      const card = focused.dataset.card ? cardElement(focused.dataset.card) : focused;
      card?.focus({ preventScroll: true });
    }
  }

  /** Draws more cards once the present ones are seen: until the frame after theirs, the processor is for showing them. */
  function grow() {
    if (growing) return;
    growing = true;
    requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(() => {
      growing = false;
      budget += MORE;
      draw();
    })));
  }

  function first() {
    const make = async () => {
      const states = ["not_started", "started", "closed"];
      for (const [at, name] of text.board.columns.entries()) {
        await post(`${place}/statuses`, { name, transitionState: states[at],
          closeMode: at === 2 ? "automatic" : "off" });
      }
      await reload();
    };
    return h("div", { class: "empty" }, h("p", {}, text.board.noColumns),
      button({ name: text.board.firstColumns, icon: "plus", kind: "primary",
        onclick: () => void make().catch((error) => toast(error.message, { bad: true })) }));
  }

  async function reload() {
    const isCurrent = moves.moment();
    const own = ++asked;
    const { board: now } = await get(`${place}/board`);
    if (own < answered) return;
    answered = own;
    if (!isCurrent()) return later();
    columns = copyOf(now);
    draw(true);
    filters.draw();
  }

  /** Adds a card to a column. @param {Column} column @param {string} project @param {string} name @param {string} key */
  async function add(column, project, name, key) {
    // One request, so that a card that can't be placed is not left behind off the board.
    const placement = { orgId: org, teamId: id, statusId: column.status.id };
    const made = await post(`/projects/${project}/cards/bulk`,
      { atomic: true, operations: [{ op: "create", name, placement }] }, { key });
    const { cardId } = made.results[0];
    await reload();
    const own = cardElement(cardId);
    if (own) own.scrollIntoView({ block: "nearest" });
    else if (cards().some((card) => card.id === cardId && !filters.fits(card))) {
      toast(text.filters.hides, { act: { name: text.filters.clear, run: filters.clear } });
    }
  }

  function later() {
    watched.later();
  }

  draw();
  filters.draw();
  const watched = watch(teamEvents(org, id), reload, (event) => {
    side.heard(event);
    return true;
  });
  const forget = register(keys.actions);
  side.go(search);
  return {
    title: `${text.board.title} · ${team.name}`,
    ...teamPlaces(opened, ""),
    content: h("div", { class: "board" }, h("h1", { class: "unseen" }, team.name),
      h("p", { class: "unseen", id: "board-keys" }, text.board.keys), filters.element, element, side.element, spoken),
    go(now) {
      filters.read(now);
      filters.draw();
      draw();
      side.go(now);
    },
    close() {
      watched.stop();
      stopDragging();
      forget();
      side.close();
      filters.close();
    },
  };
}

/** The columns of an answer, which may be kept for later requests: moves change the copy. @param {any} board @returns {Column[]} */
function copyOf(board) {
  return board.columns.map((/** @type {Column} */ column) =>
    ({ ...column, cards: column.cards.map((card) => ({ ...card })) }));
}
