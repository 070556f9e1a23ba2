// The menus of a card: its place on a board, and the ways off it.

import { deleteCard, takeCardOff, placeCard, type TeamPath } from "../../../api/planning/boards";
import type { Board } from "../../../model/planning/board";
import type { CardSummary } from "../../../model/planning/card-edits";
import { cardHref } from "../../../model/planning/card-name";
import { tell, tellFailure } from "../../../model/messages";
import type { OpenCard } from "../../../model/planning/open-card";
import { deleteLater, record } from "../../../model/undo";
import { text } from "../../../text";
import { Dot, Icon } from "../../../ui/icon";
import type { MenuEntry, MenuOptions } from "../../../ui/menu-state";
import { copyAndTell } from "../copied";

/** Columns from which on the menu has a field to find one. */
const MANY = 8;

/** Chooses a card's column, and its end of the present one. `others` come after them. */
export function columnMenu(board: Board, card: string, others: () => MenuEntry[] = () => []): MenuOptions {
  return {
    label: text.card.moveTo,
    ...(board.columns.peek().length > MANY ? { find: text.card.findColumn } : {}),
    entries: () => {
      const columns = board.columns.value;
      const at = columns.find(({ cards }) => cards.some(({ id }) => id === card))?.status.id ?? "";
      return [
        ...columns.map(({ status }): MenuEntry => ({
          name: status.name, lead: <Dot color={status.color} />, checked: status.id === at,
          run: () => { if (status.id !== at) board.moveToEnd(card, status.id, "bottom"); },
        })),
        { name: text.card.toTop, part: "ends", run: () => board.moveToEnd(card, at, "top") },
        { name: text.card.toBottom, part: "ends", run: () => board.moveToEnd(card, at, "bottom") },
        ...others(),
      ];
    },
  };
}

/** The key and the address of a card, to take elsewhere. */
export function copies(card: Pick<CardSummary, "id" | "key" | "project_id"> | undefined): MenuEntry[] {
  if (!card) return [];
  const { key } = card;
  const entry = (name: string, value: string): MenuEntry =>
    ({ name, part: "copy", lead: <Icon name="copy" />, run: () => copyAndTell(value) });
  const link = entry(text.card.copyLink, location.origin + cardHref(card.project_id, card));
  return key ? [entry(text.card.copyKey, key), link] : [link];
}

/** The ways off the board, and the end of the card. */
export function removals(takeOff: () => unknown, remove: () => unknown): MenuEntry[] {
  return [
    { name: text.card.takeOff, part: "off", lead: <Icon name="close" />, run: takeOff },
    { name: text.card.deleteCard, part: "off", lead: <Icon name="bin" />, danger: true, run: remove },
  ];
}

/** The menu of a card that is open. `gone` leaves it. */
export function openCardMenu(card: OpenCard, gone: () => void): MenuOptions {
  const { board, teamOf } = card.context;
  const { cardId } = card.path;
  const name = card.now.peek().card.name;
  const leave = (act: () => unknown) => () => {
    gone();
    void act();
  };
  const entries = (): MenuEntry[] => {
    const own = copies(card.summary.peek());
    if (board?.card(cardId)) {
      return [...own, ...removals(leave(() => board.takeOff(cardId)), leave(() => board.delete(cardId)))];
    }
    const statuses = card.now.value.indexCard.team_statuses;
    return [
      ...own,
      ...statuses.map(({ team_id: team, status_name: column }): MenuEntry => ({
        name: statuses.length === 1 ? text.card.takeOff : `${text.card.takeOff}: ${column}`,
        part: "off", lead: <Icon name="close" />, run: () => takeOff(card, teamOf(team)),
      })),
      { name: text.card.deleteCard, part: "off", lead: <Icon name="bin" />, danger: true,
        run: () => deleteOpen(card, gone) },
    ];
  };
  return { label: text.card.actions(name), entries };
}

/** Takes a card that is seen alone off a board. */
async function takeOff(card: OpenCard, team: TeamPath): Promise<void> {
  const { path: { cardId }, now } = card;
  const { name } = now.peek().card;
  const put = () => card.send(() => placeCard(team, cardId, {}));
  try {
    await card.send(() => takeCardOff(team, cardId));
    record({ name, undo: put });
    tell(text.card.isOff(name), { act: { name: text.card.putBack, run: () => put().catch(tellFailure) } });
  } catch (error) {
    tellFailure(error);
  }
}

function deleteOpen(card: OpenCard, gone: () => void): void {
  const { path: { projectId, cardId }, now } = card;
  deleteLater({ name: now.peek().card.name, hide: gone, restore: () => {}, send: () => deleteCard(projectId, cardId) });
}
