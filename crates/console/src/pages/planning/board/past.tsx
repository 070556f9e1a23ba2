// A board as it was at a moment: its columns and cards, which can be opened as they were and not moved.

import type { BoardCard, BoardColumn } from "../../../api/planning/boards";
import { filterOf } from "../../../model/planning/board-filter";
import { cardHref } from "../../../model/planning/card-name";
import { dayOfMoment, openPastBoard, pastHref, shownThen, type PastBoard } from "../../../model/planning/past";
import { text } from "../../../text";
import { search } from "../../../ui/address";
import { Empty } from "../../../ui/empty";
import { useGradual } from "../../../ui/gradual";
import { Dot } from "../../../ui/icon";
import { usePlace } from "../../../ui/place";
import { CardFacts } from "../../parts/card-facts";
import { CardKey } from "../../parts/card-marks";
import { PageState } from "../../parts/page-state";
import { PastBanner } from "../../parts/past";
import { teamPlace } from "../../parts/team-place";

/** Cards of a column in the first frame, and in each one after it. */
const FIRST = 12;
const MORE = 60;

export function PastBoardPage({ org, team, at }: { org: string; team: string; at: string }) {
  return (
    <div class="past-page">
      <PastBanner at={at} />
      <PageState read={() => openPastBoard({ orgId: org, teamId: team }, at)} keys={[org, team, at]}>
        {(past) => <Opened past={past} />}
      </PageState>
    </div>
  );
}

function Opened({ past }: { past: PastBoard }) {
  const { opened, at } = past;
  usePlace(teamPlace(opened, "", text.board.title), [opened, at]);
  const columns = shownThen(past, filterOf(search.value));
  const most = useGradual(Math.max(0, ...columns.map(({ cards }) => cards.length)), FIRST, MORE);
  if (columns.length === 0) return <Empty><p>{text.past.noColumns}</p></Empty>;
  return (
    <div class="board">
      <h1 class="unseen">{opened.team.name}</h1>
      <div class="columns">
        {columns.map((column) => <PastColumn key={column.status.id} column={column} most={most} at={at} />)}
      </div>
    </div>
  );
}

function PastColumn({ column, most, at }: { column: BoardColumn; most: number; at: string }) {
  const { status, card_count: count, effort, cards } = column;
  const used = status.wip_unit === "effort" ? effort : count;
  const heading = `column-${status.id}`;
  return (
    <section class="column" data-column={status.id} aria-labelledby={heading}>
      <div class="column-head still">
        <Dot color={status.color} />
        <h2 id={heading} dir="auto" title={status.name}>{status.name}</h2>
        <span class="soft">{status.wip_limit === null ? count : `${used} / ${status.wip_limit}`}</span>
        {effort > 0 && <span class="soft" title={text.board.effort}>{`Σ ${effort}`}</span>}
      </div>
      <div class="cards" role="list" aria-labelledby={heading}>
        {cards.slice(0, most).map((card) => <PastCardLink key={card.id} card={card} at={at} />)}
      </div>
    </section>
  );
}

function PastCardLink({ card, at }: { card: BoardCard; at: string }) {
  // A card that was deleted since is found by its id alone.
  const href = pastHref(cardHref(card.project_id, { id: card.id }), at);
  return (
    <div role="listitem" class="past-card">
      <a class={card.is_open ? "card still" : "card still done"} href={href} data-card={card.id}>
        <CardKey of={card.key} />
        <span class="name" dir="auto">{card.name}</span>
        <CardFacts card={card} day={dayOfMoment(at)} />
      </a>
    </div>
  );
}
