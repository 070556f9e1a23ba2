// The backlog: open cards in no sprint, put into one by dragging, by keys, or by the menu of the selection.

import { useComputed } from "@preact/signals";
import { useEffect, useMemo, useRef } from "preact/hooks";
import { filterOf, isEmpty as isUnfiltered } from "../../../model/planning/board-filter";
import { openPlan, type OpenPlan } from "../../../model/planning/open-plan";
import { text } from "../../../text";
import { useActions } from "../../../ui/actions";
import { search } from "../../../ui/address";
import { Button } from "../../../ui/button";
import { Empty } from "../../../ui/empty";
import { MenuButton } from "../../../ui/menu";
import { usePlace } from "../../../ui/place";
import { CardSide } from "../../parts/card/side";
import { FilterBar, useFilterAddress } from "../../parts/filter-bar";
import type { PageProps } from "../../parts/page-props";
import { PageState } from "../../parts/page-state";
import { planView, type PlanView } from "../../parts/plan-view";
import { teamPlace } from "../../parts/team-place";
import { backlogActions, sprintEntries } from "./actions";
import { ColumnList, LooseList } from "./lists";
import { SprintPlaces } from "./places";

export default function BacklogPage({ parameters: { org = "", team = "" } }: PageProps) {
  return (
    <PageState read={() => openPlan({ orgId: org, teamId: team }, { filter: filterOf(search.peek()) })}
      keys={[org, team]} close={({ live }) => live.stop()}>
      {(open) => <Opened {...open} />}
    </PageState>
  );
}

function Opened(open: OpenPlan) {
  const { planning, opened, live } = open;
  const view = useMemo(() => planView(open, "/backlog"), [planning]);
  const { title } = text.backlog;
  usePlace({ ...teamPlace(opened, "/backlog", title, { name: title }), live: live.state.value },
    [planning, live.state.value]);
  useActions(() => backlogActions(view));
  useFilterAddress(planning.filter);
  useSearch(view);
  return (
    <div class="backlog">
      <div class="backlog-head">
        <h1>{title}</h1>
        <FilterBar source={view.filters} find={text.backlog.find} group={title} />
        <Selection view={view} />
      </div>
      <p class="soft backlog-lead">{text.backlog.lead}</p>
      <Lists view={view} />
      <SprintPlaces view={view} />
      <CardSide {...view.side} />
      <p class="unseen" role="status">{planning.spoken.value}</p>
    </div>
  );
}

function Lists({ view }: { view: PlanView }) {
  const { planning } = view;
  const { value: columns } = planning.columns;
  const onBoard = useComputed(() => planning.free.value.filter(({ column }) => column).length);
  const isEmpty = planning.free.value.length === 0 && isUnfiltered(planning.filter.value);
  // Done cards are not planned; a column for them takes none from here.
  const open = columns.filter((column) => column.transition_state !== "closed"
    || planning.listOf({ kind: "column", id: column.id }).length > 0);
  return (
    <div class="backlog-list">
      {isEmpty && (
        <Empty icon="backlog">
          <p>{text.backlog.empty}</p>
          <a class="button primary" href={view.href}>{text.board.title}</a>
        </Empty>
      )}
      {planning.free.value.length === 0 && !isEmpty && <p class="soft">{text.backlog.noMatch}</p>}
      {onBoard.value > 0 && (
        <section>
          <h2>{text.backlog.onBoard} <span class="soft">{onBoard.value}</span></h2>
          {open.map((column) => <ColumnList key={column.id} column={column} view={view} />)}
        </section>
      )}
      <LooseList view={view} />
      {planning.beyond.value > 0 && <p class="soft">{text.backlog.more(planning.beyond.value)}</p>}
    </div>
  );
}

/** Asks the service for the cards on no board when the text to find changes. */
function useSearch({ planning }: PlanView): void {
  const asked = useRef(planning.filter.peek().q);
  const { q } = planning.filter.value;
  useEffect(() => {
    if (asked.current === q) return;
    asked.current = q;
    // A failed search leaves what is shown; the next event reads again.
    planning.reload().catch(() => {});
  }, [q]);
}

/** The actions on the selected cards. */
function Selection({ view }: { view: PlanView }) {
  const { planning } = view;
  const count = planning.selected.value.size;
  const { putInto: label, noSprints: empty } = text.backlog;
  if (count === 0) return null;
  return (
    <div class="bulk" role="group" aria-label={text.backlog.put(count)}>
      <span class="soft">{text.backlog.selected(count)}</span>
      <MenuButton name={label} icon="sprint" kind="primary"
        options={() => ({ label, empty, entries: () => sprintEntries(view) })} />
      <Button name={text.backlog.unselect} icon="close" kind="plain" quiet
        onClick={() => { planning.selected.value = new Set(); }} />
    </div>
  );
}
