// The open card beside a board: its address, opening and closing.

import { ApiError } from "../../api/client.js";
import { button, fill, h } from "../../ui/dom.js";
import { separator } from "../../ui/separator.js";
import { text } from "../../text.js";
import { toast } from "../../ui/toast.js";

/** @typedef {import("./column.js").Card} Card */

/** The panel's modules are not needed for a board that opens, but before a card is chosen. */
const panelModule = () => import("./panel.js");
const READY_MS = 1000;

/**
 * @param {{ cards: () => Card[], cardElement: (card: string) => HTMLElement | null, changed: () => void,
 *   columnOf: (card: string) => string, place: import("./panel.js").Place }} options
 */
export function cardSide({ cards, cardElement, changed, columnOf, place }) {
  const content = h("div", {});
  const element = h("aside", { class: "panel", hidden: true, tabindex: "-1", "aria-label": text.card.title });
  const line = separator({ label: text.card.width, name: "panel", target: element, width: 520, least: 360, most: 960, fromEnd: true });
  element.append(line, content);
  let [open, turn] = ["", 0];
  /** @type {{ refresh: () => Promise<void> } | null} */
  let shown = null;
  /** @type {(() => void) | undefined} */
  let onceShown;

  /** @type {Element | null} */
  let marked = null;
  /** Marks the open card on the board, whose elements are drawn again as cards change. */
  function mark() {
    const now = open ? cardElement(open) : null;
    if (now === marked) return;
    marked?.removeAttribute("aria-current");
    now?.setAttribute("aria-current", "true");
    marked = now;
  }
  /** Reads a card again that couldn't be read while the service was away. */
  let retry = () => {};
  const onReached = () => retry();
  document.addEventListener("reached", onReached);
  addEventListener("online", onReached);

  /** @param {string | null} card */
  const address = (card) => {
    const url = new URL(location.href);
    if (card) url.searchParams.set("card", card);
    else url.searchParams.delete("card");
    return url.pathname + url.search;
  };

  /** Shows the card of an address, or none. @param {URLSearchParams} search */
  function go(search) {
    const wanted = search.get("card") ?? "";
    if (wanted === open) return;
    if (wanted) void show(wanted);
    else hide();
  }

  /** Shows what the board knows of a card, and the rest once it is read. @param {string} id @param {() => void} [after] */
  async function show(id, after) {
    const card = cards().find((one) => one.id === id);
    if (!card) return toast(text.errors.hidden, { bad: true });
    const own = ++turn;
    [open, shown, onceShown, retry] = [id, null, after, () => {}];
    mark();
    fill(content, outline(card, h("p", { class: "soft waits", role: "status" }, text.card.opens)));
    element.hidden = false;
    element.scrollTo(0, 0);
    // The panel takes room from the columns.
    cardElement(id)?.scrollIntoView({ block: "nearest", inline: "nearest" });
    // Not the first button: a second Enter would press it.
    element.focus();
    try {
      const { cardPanel } = await panelModule();
      const panel = await cardPanel(card.project_id, id, { close, changed, columnOf, place });
      if (own !== turn) return;
      shown = panel;
      replace(panel.element);
      onceShown?.();
    } catch (error) {
      if (own !== turn) return;
      const reason = error instanceof ApiError && error.status === 404 ? text.errors.hidden
        : error instanceof Error ? error.message : String(error);
      const again = () => void show(id, onceShown);
      if (error instanceof ApiError && error.status === 0) retry = again;
      replace(outline(card, h("p", { class: "failure", role: "alert" }, reason), h("div", {}, button({ name: text.errors.again, onclick: again }))));
    }
  }

  /** @param {Card} card @param {...Node} said */
  function outline(card, ...said) {
    return h("article", { class: "card-panel" }, h("div", { class: "panel-head" }, h("span", { class: "gap" }),
      button({ name: text.close, icon: "close", kind: "plain small", quiet: true, onclick: close })),
    h("h2", { class: "card-name", dir: "auto" }, card.name), ...said);
  }

  /** Shows more of the card that is open. The focus comes along, and to a card that its address has opened. @param {Node} now */
  function replace(now) {
    const focused = document.activeElement;
    const comes = content.contains(focused) || focused === document.body || focused?.matches("main");
    fill(content, now);
    if (comes) element.focus();
  }

  function hide() {
    turn += 1;
    const card = open;
    const had = element.contains(document.activeElement) || document.activeElement === document.body;
    [open, shown, onceShown, retry] = ["", null, undefined, () => {}];
    mark();
    element.hidden = true;
    fill(content);
    if (card && had) cardElement(card)?.focus({ preventScroll: true });
  }

  function close() {
    if (!open) return;
    history.pushState(null, "", address(null));
    hide();
  }

  /** @param {KeyboardEvent} event */
  function onKey(event) {
    if (event.key !== "Escape" || event.defaultPrevented || document.querySelector("dialog[open]")) return;
    if (event.target instanceof Element && event.target.closest("[popover], .add, .filters")) return;
    close();
  }
  document.addEventListener("keydown", onKey);
  const ready = setTimeout(() => void panelModule().catch(() => {}), READY_MS);

  return {
    element, go, mark,
    /** @param {string} card @param {() => void} [after] */
    open(card, after) {
      if (card !== open) {
        history.pushState(null, "", address(card));
        void show(card, after);
      } else if (shown) after?.();
      else onceShown = after;
    },
    opened: () => open,
    shut: close,
    /** An event of the team: what is shown is read again. @param {import("../../api/events.js").Event} event */
    heard(event) {
      const card = event.data?.data?.cardId ?? event.data?.cardId;
      if (!card || card !== open) return;
      if (event.type === "card.deleted") {
        toast(text.card.isDeleted(cards().find((one) => one.id === card)?.name ?? text.card.title));
        return close();
      }
      // A card that can't be read stays as it was shown; the next event reads it again.
      void shown?.refresh().catch(() => {});
    },
    close() {
      clearTimeout(ready);
      document.removeEventListener("keydown", onKey);
      document.removeEventListener("reached", onReached);
      removeEventListener("online", onReached);
    },
  };
}
