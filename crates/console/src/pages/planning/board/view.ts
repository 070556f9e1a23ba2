// The state of a board's page beside its model: the focus, the open card, and the column in which a card is begun.

import { computed, signal, type ReadonlySignal, type Signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { Sprint } from "../../../api/planning/cards";
import type { Board } from "../../../model/planning/board";
import { BoardColumns } from "../../../model/planning/board-columns";
import { BoardLanes } from "../../../model/planning/board-lanes";
import type { CardContext } from "../../../model/planning/card-around";
import type { OpenBoard } from "../../../model/planning/open-board";
import { cardNamed } from "../../../model/planning/card-name";
import { isLaneKind, type LaneKind } from "../../../model/planning/lanes";
import { tell } from "../../../model/messages";
import type { ShownPage } from "../../../model/planning/saved-view";
import type { OpenedTeam } from "../../../model/planning/team";
import { text } from "../../../text";
import { search } from "../../../ui/address";
import { roving, type Roving } from "../../../ui/roving";
import { isOpenCard, openCard, openCardName } from "../../parts/card/side";
import type { FilterSource } from "../../parts/filter-source";

export interface BoardView {
  board: Board;
  lanes: BoardLanes;
  columns: BoardColumns;
  opened: OpenedTeam;
  sprints: ReadonlySignal<readonly Sprint[]>;
  filters: FilterSource;
  context: CardContext;
  /** The board's address. */
  href: string;
  focus: Roving;
  /** The column in which a new card is typed. */
  adding: Signal<string>;
  /** True while the name of the card that opens is to be edited. */
  editing: Signal<boolean>;
}

export function boardView({ board, opened, sprints }: OpenBoard): BoardView {
  const { orgId, teamId } = board.path;
  const shown = computed(() => board.shown.value.reduce((sum, { cards }) => sum + cards.length, 0));
  const lanes = new BoardLanes(board);
  lanes.kind.value = laneKind(search.peek());
  return {
    board, opened, sprints,
    lanes,
    columns: new BoardColumns(board),
    filters: { filter: board.filter, cards: board.cards, shown, sprints, me: opened.caller.id },
    context: { board, teamOf: (team) => ({ orgId, teamId: team }) },
    href: `/orgs/${orgId}/teams/${teamId}`,
    focus: roving(), adding: signal(""), editing: signal(false),
  };
}

/** The board's state, to be saved as a view. */
export function shownBoard({ board, lanes }: BoardView): ShownPage {
  return { layout: "board", teamId: board.path.teamId, filter: board.filter.peek(), fields: null,
    cards: board.cards.peek(), groupBy: lanes.kind.peek() ?? undefined };
}

/** Follows the lanes in the address. */
export function useLaneAddress({ lanes }: BoardView): void {
  const kind = laneKind(search.value);
  useEffect(() => { lanes.kind.value = kind; }, [kind]);
}

function laneKind(parameters: URLSearchParams): LaneKind | null {
  const group = parameters.get("group") ?? "";
  return isLaneKind(group) ? group : null;
}

/** The card that an action is about: the one with the focus, or the open one. */
export function subjectOf({ board, focus }: BoardView): string | undefined {
  const card = board.card(focus.current.peek()) ?? cardNamed(board.cards.peek(), openCardName());
  if (!card) tell(text.board.chooseCard);
  return card?.id;
}

/** Opens a card with its name to be edited. */
export function editCard({ board, editing }: BoardView, id: string): void {
  const card = board.card(id);
  if (!card) return;
  editing.value = true;
  if (!isOpenCard(card)) openCard(card);
}
