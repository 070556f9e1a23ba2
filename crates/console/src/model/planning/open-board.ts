// A board that is open: its model with the team around it, followed live.

import { signal, type Signal } from "@preact/signals";
import { readWholeBoard, teamAddress, type TeamPath } from "../../api/planning/boards";
import { readSprints, type Sprint } from "../../api/planning/cards";
import type { StreamEvent } from "../../api/events";
import { watch, type Watch } from "../../api/watch";
import { Board } from "./board";
import { openTeam, type OpenedTeam } from "./team";

export interface OpenBoard {
  board: Board;
  opened: OpenedTeam;
  live: Watch;
  /** The team's sprints, once they are read: the board is shown before. */
  sprints: Signal<readonly Sprint[]>;
  /** Tells events of the team, until the returned function is called. */
  listen: (heard: (event: StreamEvent) => void) => () => void;
}

export async function openBoard(path: TeamPath): Promise<OpenBoard> {
  const [opened, whole] = await Promise.all([openTeam(path), readWholeBoard(path)]);
  const board = new Board(path, whole.columns, () => live.later());
  board.known = whole;
  board.shownFields.take(whole);
  board.me = opened.caller.id;
  const sprints = signal<readonly Sprint[]>([]);
  const listeners = new Set<(event: StreamEvent) => void>();
  const readOwnSprints = () => readSprints(path).then((now) => { sprints.value = now; }, () => {});
  const live = watch(`${teamAddress(path)}/events`, () => board.reload(), (event) => {
    for (const heard of listeners) heard(event);
    if (event.type.startsWith("sprint.")) void readOwnSprints();
    return true;
  });
  void readOwnSprints();
  const listen = (heard: (event: StreamEvent) => void) => {
    listeners.add(heard);
    return () => void listeners.delete(heard);
  };
  return { board, opened, live, sprints, listen };
}
