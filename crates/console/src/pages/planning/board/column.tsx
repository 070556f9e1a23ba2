// A column: its head with count and limit, its cards, and the field for a new one below the last.

import { useRef } from "preact/hooks";
import type { RefObject } from "preact";
import type { BoardCard, BoardColumn } from "../../../api/planning/boards";
import { collapsed, toggleCollapsed } from "../../../model/planning/collapsed";
import { isOver } from "../../../model/planning/columns";
import { text } from "../../../text";
import { Dot } from "../../../ui/icon";
import { memo } from "../../../ui/memo";
import { MenuButton } from "../../../ui/menu";
import { AddCard } from "./add-card";
import { Card } from "./card";
import { useColumnDrag } from "./column-drag";
import { columnMenu } from "./column-menu";
import { useColumnDrop } from "./drag";
import type { BoardView } from "./view";

/** Cards of a screen. A browser leaves out screens that are not seen, and looks at each one in every frame. */
const SCREEN = 24;

interface ColumnProps {
  column: BoardColumn;
  /** How many of its cards to draw now. */
  most: number;
  view: BoardView;
}

export const Column = memo(({ column, most, view }: ColumnProps) => {
  const [place, list, head] = [useRef<HTMLElement>(null), useRef<HTMLDivElement>(null), useRef<HTMLDivElement>(null)];
  const { status } = column;
  const isFolded = collapsed.value.has(status.id);
  const landing = useColumnDrop(list, { column: status.id }, view.lanes);
  const edge = useColumnDrag(head, place, status.id, view.columns);
  const heading = `column-${status.id}`;
  const kind = `column${landing.value === null ? "" : " lit"}${isFolded ? " folded" : ""}`;
  return (
    <section ref={place} class={kind} data-column={status.id} data-edge={edge.value ?? undefined}
      aria-labelledby={heading}>
      <Head column={column} heading={heading} view={view} handle={head} isFolded={isFolded} />
      <div ref={list} class="cards">
        <div role="list" id={`cards-${status.id}`} aria-labelledby={heading}>
          {!isFolded && <Screens cards={column.cards.slice(0, most)} view={view} />}
        </div>
        {landing.value !== null && <div class="landing" aria-hidden="true" style={{ top: `${landing.value}px` }} />}
        {!isFolded && <AddCard column={column} view={view} />}
      </div>
    </section>
  );
});

/** Cards one below the other. */
export function Screens({ cards, view }: { cards: readonly BoardCard[]; view: BoardView }) {
  const screens = Array.from({ length: Math.ceil(cards.length / SCREEN) }, (_, at) =>
    cards.slice(at * SCREEN, (at + 1) * SCREEN));
  return <>{screens.map((own, at) => <Screen key={at} cards={own} view={view} />)}</>;
}

function Screen({ cards, view }: { cards: readonly BoardCard[]; view: BoardView }) {
  return (
    <div class="screen" role="none">
      {cards.map((card) => (
        <Card key={card.id} card={card} view={view} />
      ))}
    </div>
  );
}

interface HeadProps {
  column: BoardColumn;
  heading: string;
  view: BoardView;
  /** The handle by which a column is dragged. */
  handle: RefObject<HTMLDivElement | null>;
  isFolded: boolean;
}

export function Head({ column, heading, view, handle, isFolded }: HeadProps) {
  const { status, card_count: count, effort } = column;
  const used = status.wip_unit === "effort" ? effort : count;
  const limit = status.wip_limit;
  const unfold = ({ target }: Event) => {
    if (target instanceof Element && !target.closest("button")) toggleCollapsed(status.id);
  };
  return (
    <div ref={handle} class="column-head" onClick={isFolded ? unfold : undefined}>
      <Dot color={status.color} />
      <h2 id={heading} dir="auto" title={status.name}>
        {status.name}
      </h2>
      <span class="soft">{limit === null ? count : `${used} / ${limit}`}</span>
      {effort > 0 && <span class="soft" title={text.board.effort}>{`Σ ${effort}`}</span>}
      <MenuButton name={text.columns.settings(status.name)} icon="dots" kind="plain small" quiet
        options={() => columnMenu(view, status.id)} />
      {limit !== null && (
        <progress
          class={isOver(column) ? "limit over" : "limit"}
          max={Math.max(1, limit)}
          value={used}
          aria-label={text.board.limit}
        />
      )}
    </div>
  );
}
