// A team's board: its columns and cards, moved by mouse and keyboard.

import { all, get, post, put } from "../../api/client.js";
import { followTeam } from "../../api/events.js";
import { remember } from "../../router.js";
import { text } from "../../text.js";
import { button, fill, h } from "../../ui/dom.js";
import { teamPlaces } from "../../ui/places.js";
import { toast } from "../../ui/toast.js";
import { columnView } from "./column.js";
import { arrange } from "./drag.js";
import { cardPanel } from "./panel.js";

/** @typedef {import("./column.js").Card} Card @typedef {import("./column.js").Column} Column */

const RELOAD_MS = 200;

/** @type {import("../../router.js").Opener} */
export async function openBoard({ org, team: id }, search) {
  const place = `/orgs/${org}/teams/${id}`;
  const [{ team }, { board }, projects] =
    await Promise.all([get(place), get(`${place}/board`), all(`${place}/projects`, "projects")]);
  /** @type {Column[]} */
  let columns = board.columns;
  const element = h("div", { class: "columns" });
  const spoken = h("p", { class: "unseen", role: "status", "aria-live": "assertive" });
  const panel = h("aside", { class: "panel", hidden: true, "aria-label": text.board.title });
  const stopDragging = arrange(element, { move, columns: () => columns, open });
  // The answers of moves arrive in the order of the moves.
  let [queue, timer, moving] = [Promise.resolve(), 0, 0];

  function draw() {
    const focused = document.activeElement?.getAttribute("data-card");
    const scrolled = new Map([...element.querySelectorAll(".cards")].map((list) => [list.id, list.scrollTop]));
    fill(element, columns.length > 0 ? columns.map((column) => columnView(place, column, projects, add)) : first());
    for (const [list, top] of scrolled) document.getElementById(list)?.scrollTo(0, top);
    if (focused) cardElement(focused)?.focus();
  }

  /** @param {string} card */
  const cardElement = (card) => /** @type {HTMLElement | null} */ (element.querySelector(`[data-card="${card}"]`));

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
    const { board: now } = await get(`${place}/board`);
    if (moving > 0) return;
    columns = now.columns;
    draw();
  }

  /**
   * Moves a card at once, and back with the reason if the service refuses.
   * @param {string} card @param {string} to @param {number} at its place among the other cards of the column
   */
  function move(card, to, at) {
    const from = columns.find((column) => column.cards.some((one) => one.id === card));
    const into = columns.find((column) => column.status.id === to);
    const moved = from?.cards.find((one) => one.id === card);
    if (!from || !into || !moved) return;
    const back = from.cards.indexOf(moved);
    const others = into.cards.filter((one) => one !== moved);
    const index = Math.max(0, Math.min(others.length, at));
    if (from === into && index === back) return;
    shift(from, into, moved, index);
    draw();
    cardElement(card)?.focus();
    fill(spoken, text.board.moved(moved.name, into.status.name, index + 1, into.cards.length));
    const body = { statusId: to, afterCardId: others[index - 1]?.id,
      beforeCardId: index === 0 ? others[0]?.id : undefined };
    moving += 1;
    queue = queue.then(async () => {
      try {
        const answer = await put(`${place}/cards/${card}`, body);
        moved.is_open = answer.card.is_open;
        moving -= 1;
        if (answer.warnings?.length) later();
        draw();
      } catch (error) {
        moving -= 1;
        const reason = error instanceof Error ? error.message : String(error);
        toast(text.board.refused(moved.name, reason), { bad: true });
        fill(spoken, text.board.refused(moved.name, reason));
        if (into.cards.includes(moved)) shift(into, from, moved, back);
        draw();
        later();
      }
    });
  }

  /** @param {Card} card */
  async function open(card) {
    try {
      fill(panel, ...(await cardPanel(card.project_id, card.id, { close, changed: later })));
    } catch (error) {
      return toast(error instanceof Error ? error.message : String(error), { bad: true });
    }
    remember("card", card.id);
    panel.hidden = false;
    /** @type {HTMLElement | null} */ (panel.querySelector("h2"))?.focus();
  }

  function close() {
    const card = new URLSearchParams(location.search).get("card");
    panel.hidden = true;
    remember("card", null);
    if (card) cardElement(card)?.focus();
  }

  /** Adds a card to a column. @param {Column} column @param {string} project @param {string} name @param {string} key */
  async function add(column, project, name, key) {
    const made = await post(`/projects/${project}/cards`, { name }, { key });
    await put(`${place}/cards/${made.card.id}`, { statusId: column.status.id });
    await reload();
    cardElement(made.card.id)?.scrollIntoView({ block: "nearest" });
  }

  // Many events of a moment make one request.
  function later() {
    clearTimeout(timer);
    timer = window.setTimeout(() => void reload().catch(() => {}), RELOAD_MS);
  }

  /** @param {KeyboardEvent} event */
  function onKey(event) {
    if (event.key === "Escape" && !panel.hidden) return close();
    const typing = event.target instanceof Element && event.target.closest("input, textarea, select, dialog");
    if (event.key === "c" && !typing && !event.ctrlKey && !event.metaKey && !event.altKey) {
      event.preventDefault();
      /** @type {HTMLElement | null} */ (element.querySelector(".add button"))?.click();
    }
  }

  draw();
  const stop = followTeam(org, id, later);
  document.addEventListener("keydown", onKey);
  const wanted = columns.flatMap((column) => column.cards).find((card) => card.id === search.get("card"));
  if (wanted) void open(wanted);
  return {
    title: team.name,
    crumbs: [{ name: text.projects.title, href: "/projects" }, { name: team.name }],
    navigation: teamPlaces(org, team, projects, ""),
    content: h("div", { class: "board" }, h("h1", { class: "unseen" }, team.name),
      h("p", { class: "unseen", id: "board-keys" }, text.board.keys), element, panel, spoken),
    close() {
      stop();
      stopDragging();
      clearTimeout(timer);
      document.removeEventListener("keydown", onKey);
    },
  };
}

/** @param {Column} from @param {Column} into @param {Card} card @param {number} at */
function shift(from, into, card, at) {
  from.cards = from.cards.filter((one) => one !== card);
  into.cards = into.cards.filter((one) => one !== card);
  into.cards.splice(at, 0, card);
  for (const [column, sign] of /** @type {[Column, number][]} */ ([[from, -1], [into, 1]])) {
    if (from === into) continue;
    column.card_count += sign;
    column.effort += sign * card.effort;
  }
}
