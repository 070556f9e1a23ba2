// The cards of a board as a table: sorted, grouped and filtered, edited in their cells, changed many at once.

import { useMemo } from "preact/hooks";
import { cardNamed } from "../../../model/planning/card-name";
import { GROUPINGS } from "../../../model/planning/card-groups";
import { FIELDS } from "../../../model/planning/card-table";
import { onlyValue } from "../../../model/planning/filter-terms";
import { openBoard, type OpenBoard } from "../../../model/planning/open-board";
import { text } from "../../../text";
import { useActions, type Action } from "../../../ui/actions";
import { Icon } from "../../../ui/icon";
import { MenuButton } from "../../../ui/menu";
import type { MenuEntry } from "../../../ui/menu-state";
import { usePlace } from "../../../ui/place";
import { CardSide } from "../../parts/card/side";
import { FilterBar, useFilterAddress } from "../../parts/filter-bar";
import { NewCard } from "../../parts/new-card";
import type { PageProps } from "../../parts/page-props";
import { PageState } from "../../parts/page-state";
import { SavedViews } from "../../parts/saved-views";
import { teamPlace } from "../../parts/team-place";
import { BulkBar } from "./bulk-bar";
import { ImportCards } from "./import-cards";
import { Table } from "./table";
import { groupBy, shownTable, tableView, useKept, type TableView } from "./view";

export default function CardsPage({ parameters: { org = "", team = "" } }: PageProps) {
  return (
    <PageState read={() => openBoard({ orgId: org, teamId: team })} keys={[org, team]}
      close={({ live }) => live.stop()}>
      {(open) => <Opened {...open} />}
    </PageState>
  );
}

function Opened(open: OpenBoard) {
  const { board, opened, live, listen } = open;
  const view = useMemo(() => tableView(open), [board]);
  const { table } = view;
  const { title } = text.cards;
  const state = live.state.value;
  usePlace({ ...teamPlace(opened, "/cards", title, { name: title }), live: state }, [board, state]);
  useFilterAddress(board.filter);
  useKept(view);
  useActions(() => tableActions(view));
  const focus = () => document.querySelector<HTMLElement>(".grid")?.focus({ preventScroll: true });
  return (
    <div class="cards-page">
      <div class="cards-head">
        <h1>{title}</h1>
        <p class="soft" role="status">{text.cards.count(table.shown.value.length, board.cards.value.length)}</p>
        <ImportCards opened={opened} />
      </div>
      <FilterBar source={view.filters} find={text.cards.find} group={title} isCounted={false}>
        <Display view={view} />
        <SavedViews opened={opened} shown={() => shownTable(view)} />
      </FilterBar>
      <p class="unseen" id="cards-keys">{text.cards.keys}</p>
      <Table view={view} />
      <AddRow view={view} />
      <BulkBar view={view} />
      <CardSide cardOf={(name) => cardNamed(board.cards.value, name)} context={view.context} me={opened.caller.id}
        listen={listen} focus={focus} />
    </div>
  );
}

/** Groups and columns of the table. */
function Display({ view: { table } }: { view: TableView }) {
  const names = text.cards.columns;
  const entries = (): MenuEntry[] => [
    { name: text.cards.noGroups, part: "groups", checked: !table.grouping.value, run: () => groupBy("") },
    ...GROUPINGS.map((grouping): MenuEntry => ({
      name: text.cards.groupBy(names[grouping]), part: "groups", checked: table.grouping.value === grouping,
      run: () => groupBy(grouping) })),
    ...table.values.columns.value.map(({ key, name }): MenuEntry => ({
      name: text.fields.groupBy(name), part: "groups", checked: table.grouping.value === key,
      run: () => groupBy(key) })),
    ...FIELDS.filter((field) => field !== "name").map((field): MenuEntry => ({
      name: text.cards.shows(names[field]), part: "fields", checked: !table.hidden.value.has(field),
      run: () => table.toggleField(field) })),
    ...table.values.columns.value.map(({ key, name }): MenuEntry => ({
      name: text.fields.shows(name), part: "custom", checked: table.columns.value.some((one) => one.key === key),
      run: () => table.toggleField(key) })),
  ];
  return (
    <MenuButton name={text.cards.display} kind="plain" lead={<Icon name="table" />}
      options={() => ({ label: text.cards.display, stays: true, entries })} />
  );
}

/** A new card, at the end of the first column or of the one that the filter shows. */
function AddRow({ view: { table: { board }, opened, href } }: { view: TableView }) {
  const first = onlyValue(board.filter.value.column) ?? board.columns.value[0]?.status.id;
  if (!first) return null;
  return (
    <div class="grid-add">
      <NewCard opened={opened} draft={`${href}/cards/new`}
          add={(project, card, key) => board.add(first, project, card, key)} />
    </div>
  );
}

function tableActions({ table }: TableView): Action[] {
  const group = text.cards.title;
  const step = (by: number) => () => {
    document.querySelector<HTMLElement>(".grid")?.focus({ preventScroll: true });
    table.step(by);
  };
  return [
    { name: text.board.nextCard, key: "j", group, run: step(1) },
    { name: text.board.previousCard, key: "k", group, run: step(-1) },
    { name: text.board.add, key: "c", group, icon: "plus",
      run: () => document.querySelector<HTMLElement>(".grid-add button")?.click() },
    { name: text.board.openCard, key: "Enter", group },
    { name: text.cards.editName, key: "e", group },
    { name: text.card.assign, key: "a", group },
    { name: text.card.tag, key: "l", group },
    { name: text.card.moveTo, key: "m", group },
    { name: text.card.priority, key: "p", group },
    { name: text.card.type, key: "t", group },
    { name: text.cards.selects, key: "x", group },
    { name: text.cards.selectsMore, key: "Shift+Arrow", shownKey: "Shift+↑ ↓", group },
    { name: text.cards.selectsAll, key: "Ctrl+A", group },
  ];
}
