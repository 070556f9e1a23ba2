// The actions of a board with their keys. They are about the card that has the focus, or that is open.

import { tellFailure } from "../../../model/messages";
import { text } from "../../../text";
import type { Action } from "../../../ui/actions";
import { openMenu } from "../../../ui/menu-state";
import { copyAndTell } from "../../parts/copied";
import { pickPriority, pickType } from "../../parts/card/kind-pickers";
import { pickAssignees, pickTags } from "../../parts/card/pickers";
import { askMoment } from "../../parts/past";
import { cardMenu, remove, takeOff } from "./card-menu";
import { askColumn } from "./column-menu";
import { editCard, subjectOf, type BoardView } from "./view";

export function boardActions(view: BoardView): Action[] {
  const { board, lanes, columns, focus, adding } = view;
  const group = text.board.title;
  const on = (act: (card: string) => unknown) => () => {
    const card = subjectOf(view);
    return card ? act(card) : undefined;
  };
  const step = (by: number) => () => {
    const cards = lanes.order();
    const at = cards.indexOf(focus.current.peek());
    const next = cards[Math.max(0, Math.min(cards.length - 1, at + by))];
    if (next) focus.focus(next);
  };
  /** Opens a menu at the card, on the board or in its panel. */
  const at = (show: (anchor: Element, card: string) => unknown) => on((card) => {
    const anchor = document.querySelector(`[data-card="${card}"], [data-panel="${card}"] .card-name`);
    if (anchor) void Promise.resolve(show(anchor, card)).catch(tellFailure);
  });
  const columnOf = (card: string) => board.columns.peek().find(({ cards }) => cards.some(({ id }) => id === card));
  return [
    { name: text.board.add, key: "c", group, icon: "plus", run: () => {
      adding.value = (columnOf(focus.current.peek()) ?? board.columns.peek()[0])?.status.id ?? "";
    } },
    { name: text.board.nextCard, key: "j", group, run: step(1) },
    { name: text.board.previousCard, key: "k", group, run: step(-1) },
    { name: text.board.openCard, key: "Enter", group },
    { name: text.board.moveCard, key: "Shift+Arrow", shownKey: "Shift+↑ ↓ ← →", group },
    { name: text.board.editCard, key: "e", group, icon: "pencil", run: on((card) => editCard(view, card)) },
    { name: text.card.moveTo, key: "m", group, icon: "open",
      run: at((anchor, card) => openMenu(anchor, cardMenu(view, card))) },
    { name: text.card.assign, key: "a", group, icon: "person",
      run: at((anchor, card) => pickAssignees(anchor, board.edits, card)) },
    { name: text.card.tag, key: "l", group, icon: "tag",
      run: at((anchor, card) => pickTags(anchor, board.edits, card)) },
    { name: text.card.priority, key: "p", group, icon: "priority-high",
      run: at((anchor, card) => pickPriority(anchor, board.edits, card)) },
    { name: text.card.type, key: "t", group, icon: "task",
      run: at((anchor, card) => pickType(anchor, board.edits, card, board.cards.peek())) },
    { name: text.card.copyKey, group, icon: "copy", run: on((card) => copyAndTell(board.card(card)?.key ?? card)) },
    { name: text.card.takeOff, group, icon: "close", run: on((card) => takeOff(view, card)) },
    { name: text.card.deleteCard, group, icon: "bin", run: on((card) => remove(view, card)) },
    { name: text.columns.create, group, icon: "board", run: () => askColumn(columns) },
    { name: text.past.title, group, icon: "history", run: () => askMoment() },
  ];
}
