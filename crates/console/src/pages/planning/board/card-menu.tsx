// The menu of a card: the column that it goes to, and the ways off the board.

import type { MenuOptions } from "../../../ui/menu-state";
import { columnMenu, copies, removals } from "../../parts/card/menus";
import { closeCard, isOpenCard } from "../../parts/card/side";
import type { BoardView } from "./view";

export function cardMenu(view: BoardView, card: string): MenuOptions {
  return columnMenu(view.board, card, () => [
    ...copies(view.board.card(card)),
    ...removals(() => takeOff(view, card), () => remove(view, card)),
  ]);
}

/** The panel of a card closes when the card leaves. The focus goes to the card that comes next. */
function leave({ board, focus }: BoardView, card: string): void {
  const next = board.neighbour(card, { across: 0, down: 1 });
  const other = next === card ? board.neighbour(card, { across: 0, down: -1 }) : next;
  const left = board.card(card);
  if (left && isOpenCard(left)) closeCard();
  if (other && other !== card) focus.focus(other);
}

export function takeOff(view: BoardView, card: string): void {
  leave(view, card);
  void view.board.takeOff(card);
}

export function remove(view: BoardView, card: string): void {
  leave(view, card);
  view.board.delete(card);
}
