// The open card beside a board: its address, opening and closing.

import { ApiError } from "../../api/client.js";
import { fill, h } from "../../ui/dom.js";
import { separator } from "../../ui/separator.js";
import { text } from "../../text.js";
import { toast } from "../../ui/toast.js";
import { cardPanel } from "./panel.js";

/** @typedef {import("./column.js").Card} Card */

/**
 * @param {{ cards: () => Card[], cardElement: (card: string) => HTMLElement | null, changed: () => void,
 *   columnOf: (card: string) => string, place: import("./panel.js").Place }} options
 */
export function cardSide({ cards, cardElement, changed, columnOf, place }) {
  const element = h("aside", { class: "panel", hidden: true, tabindex: "-1", "aria-label": text.card.title });
  const line = separator({ label: text.card.width, name: "panel", target: element, width: 520, least: 360, most: 960, fromEnd: true });
  let [open, turn] = ["", 0];
  /** @type {{ refresh: () => Promise<void> } | null} */
  let shown = null;

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

  /** @param {string} id @param {() => void} [after] */
  async function show(id, after) {
    const own = ++turn;
    const card = cards().find((one) => one.id === id);
    if (!card) return toast(text.errors.hidden, { bad: true });
    try {
      const panel = await cardPanel(card.project_id, id, { close, changed, columnOf, place });
      if (own !== turn) return;
      shown = panel;
      open = id;
      fill(element, line, panel.element);
      element.hidden = false;
      element.scrollTo(0, 0);
      if (after) after();
      // Not the first button: a second Enter would press it.
      else element.focus();
    } catch (error) {
      toast(error instanceof ApiError && error.status === 404 ? text.errors.hidden
        : error instanceof Error ? error.message : String(error), { bad: true });
    }
  }

  function hide() {
    turn += 1;
    const card = open;
    const had = element.contains(document.activeElement) || document.activeElement === document.body;
    [open, shown] = ["", null];
    element.hidden = true;
    fill(element);
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

  return {
    element, go,
    /** @param {string} card @param {() => void} [after] */
    open(card, after) {
      if (card === open) return after?.();
      history.pushState(null, "", address(card));
      void show(card, after);
    },
    opened: () => open,
    /** An event of the team: what is shown is read again. @param {import("../../api/events.js").Event} event */
    heard(event) {
      const card = event.data?.data?.cardId ?? event.data?.cardId;
      // A card that can't be read stays as it was shown; the next event reads it again.
      if (card && card === open) void shown?.refresh().catch(() => {});
    },
    close: () => document.removeEventListener("keydown", onKey),
  };
}
