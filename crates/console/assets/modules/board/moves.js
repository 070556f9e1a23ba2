// Moves of cards on a board: drawn at once, sent one after the other, and drawn back with the reason if refused.

import { put } from "../../api/client.js";
import { text } from "../../text.js";

/**
 * @typedef {import("./column.js").Card} Card @typedef {import("./column.js").Column} Column
 * @typedef {{ place: string, columns: () => Column[], fits: (card: Card) => boolean, draw: () => void,
 *   say: (message: string) => void, refuse: (message: string, again: () => void) => void, reload: () => void }} Options
 */

/** @param {Options} options */
export function movesOf({ place, columns, fits, draw, say, refuse, reload }) {
  let [queue, waiting, begun] = [Promise.resolve(), 0, 0];

  /**
   * Moves a card to a place among the other cards that are shown in a column.
   * @param {string} card @param {string} to @param {number} at
   */
  function move(card, to, at) {
    const from = columns().find((column) => column.cards.some((one) => one.id === card));
    const into = columns().find((column) => column.status.id === to);
    const moved = from?.cards.find((one) => one.id === card);
    if (!from || !into || !moved) return;
    const back = from.cards.indexOf(moved);
    const others = into.cards.filter((one) => one !== moved);
    const shown = others.filter(fits);
    const next = shown[Math.max(0, at)];
    const last = shown.at(-1);
    const index = next ? others.indexOf(next) : last ? others.indexOf(last) + 1 : others.length;
    if (from === into && index === back) return;
    shift(from, into, moved, index);
    draw();
    const seen = into.cards.filter(fits);
    say(text.board.moved(moved.name, into.status.name, seen.indexOf(moved) + 1, seen.length));
    const body = { statusId: to, afterCardId: others[index - 1]?.id,
      beforeCardId: index === 0 ? others[0]?.id : undefined };
    waiting += 1;
    begun += 1;
    queue = queue.then(async () => {
      try {
        const answer = await put(`${place}/cards/${card}`, body);
        moved.is_open = answer.card.is_open;
        waiting -= 1;
        draw();
      } catch (error) {
        waiting -= 1;
        refuse(text.board.refused(moved.name, error instanceof Error ? error.message : String(error)), () => move(card, to, at));
        if (into.cards.includes(moved)) shift(into, from, moved, back);
        draw();
        reload();
      }
    });
  }

  return {
    move,
    /** A board that was asked for at this moment is older than the moves that have begun since. */
    moment: () => {
      const own = begun;
      return () => waiting === 0 && own === begun;
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
