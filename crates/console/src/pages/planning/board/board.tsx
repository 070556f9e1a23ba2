// A team's board: its columns and cards, moved by mouse and keyboard.

import { useComputed } from "@preact/signals";
import { useEffect, useMemo, useRef } from "preact/hooks";
import { createColumns } from "../../../api/planning/boards";
import { cardNamed } from "../../../model/planning/card-name";
import { noteChoice } from "../../../model/recent";
import { openBoard, type OpenBoard } from "../../../model/planning/open-board";
import { momentOf } from "../../../model/planning/past";
import { tellFailure } from "../../../model/messages";
import type { PageProps } from "../../parts/page-props";
import { text } from "../../../text";
import { useActions } from "../../../ui/actions";
import { search } from "../../../ui/address";
import { Button } from "../../../ui/button";
import { Empty } from "../../../ui/empty";
import { useGradual } from "../../../ui/gradual";
import { usePlace } from "../../../ui/place";
import { CardSide } from "../../parts/card/side";
import { FilterBar, useFilterAddress } from "../../parts/filter-bar";
import { PageState } from "../../parts/page-state";
import { askMoment } from "../../parts/past";
import { SavedViews } from "../../parts/saved-views";
import { teamPlace } from "../../parts/team-place";
import { boardActions } from "./actions";
import { Column } from "./column";
import { askColumn } from "./column-menu";
import { Ghost } from "./ghost";
import { Lanes, LanesMenu } from "./lanes";
import { PastBoardPage } from "./past";
import { useTouch } from "./touch";
import { boardView, shownBoard, useLaneAddress, type BoardView } from "./view";

/** Cards that are drawn in the first frame, and in each one after it; at least some of each column. */
const FIRST = 48;
const MORE = 240;
const LEAST = 4;

export default function BoardPage({ parameters: { org = "", team = "" } }: PageProps) {
  const at = useComputed(() => momentOf(search.value)).value;
  if (at !== null) return <PastBoardPage org={org} team={team} at={at} />;
  return (
    <PageState
      read={() => openBoard({ orgId: org, teamId: team })}
      keys={[org, team]}
      close={({ live }) => live.stop()}
    >
      {(open) => <Opened {...open} />}
    </PageState>
  );
}

function Opened(open: OpenBoard) {
  const { board, opened, live, listen } = open;
  const { team } = opened;
  const view = useMemo(() => boardView(open), [board]);
  usePlace({ ...teamPlace(opened, "", text.board.title), live: live.state.value }, [board, live.state.value]);
  useActions(() => boardActions(view));
  useFilterAddress(board.filter);
  useLaneAddress(view);
  const lanes = view.lanes.lanes.value;
  useEffect(() => {
    noteChoice({ name: team.name, href: view.href, where: text.board.title, icon: "board" });
  }, [board]);
  return (
    <div class="board">
      <h1 class="unseen">{team.name}</h1>
      <p class="unseen" id="board-keys">
        {text.board.keys}
      </p>
      <FilterBar source={view.filters} find={text.filters.find} group={text.board.title}>
        <LanesMenu view={view} />
        <Button name={text.past.title} icon="history" kind="plain" onClick={() => askMoment()} />
        <SavedViews opened={opened} shown={() => shownBoard(view)} />
      </FilterBar>
      {board.columns.value.length === 0 ? <FirstColumns view={view} />
        : lanes ? <Lanes view={view} lanes={lanes} /> : <Columns view={view} />}
      <CardSide cardOf={(name) => cardNamed(board.cards.value, name)} context={view.context} me={opened.caller.id}
        listen={listen} focus={view.focus.focus} editing={view.editing} />
      <Ghost board={board} />
      <p class="unseen" role="status" aria-live="assertive">
        {board.spoken.value}
      </p>
    </div>
  );
}

function Columns({ view }: { view: BoardView }) {
  const columns = view.board.shown.value;
  const longest = Math.max(...columns.map(({ cards }) => cards.length));
  const step = Math.max(LEAST, Math.ceil(MORE / columns.length));
  const most = useGradual(longest, Math.max(LEAST, Math.ceil(FIRST / columns.length)), step);
  const place = useRef<HTMLDivElement>(null);
  useTouch(place, view.lanes);
  return (
    <div ref={place} class="columns">
      {columns.map((column) => (
        <Column key={column.status.id} column={column} most={Math.min(most, column.cards.length)} view={view} />
      ))}
      <div class="new-column">
        <Button name={text.columns.create} icon="plus" kind="plain" quiet onClick={() => askColumn(view.columns)} />
      </div>
    </div>
  );
}

function FirstColumns({ view: { board } }: { view: BoardView }) {
  const make = () =>
    createColumns(board.path, text.board.columns)
      .then(() => board.reload())
      .catch(tellFailure);
  return (
    <Empty>
      <p>{text.board.noColumns}</p>
      <Button name={text.board.firstColumns} icon="plus" kind="primary" onClick={make} />
    </Empty>
  );
}
