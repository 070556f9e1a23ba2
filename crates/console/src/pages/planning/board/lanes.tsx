// The board in lanes: a row of cells for each person, tag, parent, priority or option, below the heads of the columns.

import { useId, useRef } from "preact/hooks";
import type { BoardColumn } from "../../../api/planning/boards";
import { isFieldColumn } from "../../../model/planning/field-columns";
import { LANES, sizeOf, type Lane, type LaneKind } from "../../../model/planning/lanes";
import { text } from "../../../text";
import { setParameters } from "../../../ui/address";
import { useGradual } from "../../../ui/gradual";
import { Icon } from "../../../ui/icon";
import { MenuButton } from "../../../ui/menu";
import { AddCard } from "./add-card";
import { Head, Screens } from "./column";
import { useColumnDrag } from "./column-drag";
import { useColumnDrop } from "./drag";
import { useTouch } from "./touch";
import type { BoardView } from "./view";

/** Cards of a cell in the first frame, and in each one after it. */
const FIRST = 8;
const MORE = 60;

export function Lanes({ view, lanes }: { view: BoardView; lanes: readonly Lane[] }) {
  const place = useRef<HTMLDivElement>(null);
  useTouch(place, view.lanes);
  const columns = view.board.shown.value;
  const most = useGradual(Math.max(0, ...columns.map(({ cards }) => cards.length)), FIRST, MORE);
  return (
    <div ref={place} class="lanes" style={{ "--columns": columns.length }}>
      <div class="lane-cells lane-heads">
        {columns.map((column) => <ColumnHead key={column.status.id} column={column} view={view} />)}
      </div>
      {lanes.map((lane) => <LaneRow key={lane.id} lane={lane} most={most} view={view} />)}
      <div class="lane-cells">
        {columns.map((column) => <AddCard key={column.status.id} column={column} view={view} />)}
      </div>
    </div>
  );
}

function ColumnHead({ column, view }: { column: BoardColumn; view: BoardView }) {
  const [place, handle] = [useRef<HTMLDivElement>(null), useRef<HTMLDivElement>(null)];
  const edge = useColumnDrag(handle, place, column.status.id, view.columns);
  return (
    <div ref={place} class="lane-head" data-edge={edge.value ?? undefined}>
      <Head column={column} heading={`column-${column.status.id}`} view={view} handle={handle} isFolded={false} />
    </div>
  );
}

function LaneRow({ lane, most, view }: { lane: Lane; most: number; view: BoardView }) {
  const heading = useId();
  return (
    <section class="lane" data-lane-row={lane.id} aria-labelledby={heading}>
      <h2 id={heading} class="lane-name" dir="auto">{lane.name} <span class="soft">{sizeOf(lane)}</span></h2>
      <div class="lane-cells">
        {lane.columns.map((column) => (
          <Cell key={column.status.id} column={column} lane={lane} most={most} view={view} />
        ))}
      </div>
    </section>
  );
}

interface CellProps {
  column: BoardColumn;
  lane: Lane;
  most: number;
  view: BoardView;
}

function Cell({ column, lane, most, view }: CellProps) {
  const list = useRef<HTMLDivElement>(null);
  const { id, name } = column.status;
  const landing = useColumnDrop(list, { column: id, lane: lane.id }, view.lanes);
  return (
    <div class={landing.value === null ? "lane-cell" : "lane-cell lit"} data-column={id} data-lane={lane.id}>
      <div ref={list} class="cards">
        <div role="list" aria-label={text.lanes.cell(lane.name, name)}>
          <Screens cards={column.cards.slice(0, most)} view={view} />
        </div>
        {landing.value !== null && <div class="landing" aria-hidden="true" style={{ top: `${landing.value}px` }} />}
      </div>
    </div>
  );
}

/** Chooses the lanes, which stand in the address. */
export function LanesMenu({ view }: { view: BoardView }) {
  const choose = (kind: LaneKind | null) => setParameters({ group: kind });
  const nameOf = (kind: LaneKind | null) => (!kind ? text.lanes.none : isFieldColumn(kind)
    ? text.lanes.byField(view.board.shownFields.lane(kind)?.name ?? "") : text.lanes.by[kind]);
  const entry = (kind: LaneKind | null) =>
    ({ name: nameOf(kind), checked: view.lanes.kind.value === kind, run: () => choose(kind) });
  const kinds = () => [null, ...LANES, ...view.board.shownFields.laneColumns().map(({ key }) => key)];
  return (
    <MenuButton name={text.lanes.title} kind="plain" lead={<Icon name="table" />}
      options={() => ({ label: text.lanes.title, entries: () => kinds().map(entry) })} />
  );
}
