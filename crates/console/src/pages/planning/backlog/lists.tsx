// The lists of the backlog: one for each column of the board, and the cards that are on no board.

import { useCallback, useRef } from "preact/hooks";
import type { BoardColumn } from "../../../api/planning/boards";
import type { PlanList } from "../../../model/planning/planning";
import { text } from "../../../text";
import { useGradual } from "../../../ui/gradual";
import { Dot } from "../../../ui/icon";
import { useListDrop } from "../../parts/list-drag";
import { NewCard } from "../../parts/new-card";
import { PlanRow } from "../../parts/plan-row";
import type { PlanView } from "../../parts/plan-view";

/** Rows of a list that are drawn in the first frame, and in each one after it. */
const FIRST = 40;
const MORE = 160;

export function ColumnList({ column, view }: { column: BoardColumn["status"]; view: PlanView }) {
  const place = useRef<HTMLDivElement>(null);
  const list = useRef<HTMLUListElement>(null);
  const drop = useCallback((id: string, at: number) =>
    view.planning.drop(id, { kind: "column", id: column.id }, at), [column.id]);
  const landing = useListDrop(place, { list, drop }).value;
  const cards = view.planning.listOf({ kind: "column", id: column.id });
  const most = useGradual(cards.length, FIRST, MORE);
  return (
    <div ref={place} class={landing ? "plan-list lit" : "plan-list"} data-list={column.id}>
      <h3>
        <Dot color={column.color} />
        <span dir="auto">{column.name}</span> <span class="soft">{cards.length}</span>
      </h3>
      <ul ref={list} class="plan-rows" aria-label={column.name}>
        {cards.slice(0, most).map((card) => <PlanRow key={card.id} card={card} view={view} selects />)}
        {landing && landing.top !== null && <Line top={landing.top} />}
      </ul>
    </div>
  );
}

/** Where a dragged card would land. */
export function Line({ top }: { top: number }) {
  return <li class="landing" aria-hidden="true" style={{ top: `${top}px` }} />;
}

export function LooseList({ view }: { view: PlanView }) {
  const { planning } = view;
  const list: PlanList = { kind: "loose" };
  const cards = planning.listOf(list);
  return (
    <section>
      <h2>{text.backlog.offBoard} <span class="soft">{cards.length + planning.beyond.value}</span></h2>
      <ul class="plan-rows" aria-label={text.backlog.offBoard}>
        {cards.map((card) => <PlanRow key={card.id} card={card} view={view} selects />)}
      </ul>
      <NewCard opened={view.opened} draft={`${view.href}/backlog/cards`}
        add={(project, card, key) => planning.add(list, project, card, key)} />
    </section>
  );
}
