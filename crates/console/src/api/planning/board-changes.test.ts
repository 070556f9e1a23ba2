import assert from "node:assert/strict";
import { test } from "node:test";
import { withChanges, type BoardCard, type BoardChanges, type BoardColumn, type KnownBoard } from "./board-changes";

const card = (id: string, fields: Partial<BoardCard> = {}): BoardCard => ({
  id, name: id, project_id: "p", project_name: "P", is_open: true, effort: 1, deadline: null, sprint_id: null, rank: id,
  key: null, priority: "none", type: "task", parent_id: null, is_blocked: false, checklist: { total: 0, done: 0 },
  assignees: [], tags: [], fields: {}, history_head_id: "h", history_head_sequence: "1", ...fields,
});

const column = (id: string, cards: BoardCard[]): BoardColumn => ({
  card_count: cards.length, effort: cards.length, wip_exceeded: false, cards,
  status: {
    id, name: id, status: "active", team_id: "team", color: "#000000", description: "", position: "1",
    transition_state: "started", closeMode: "off", wip_limit: null, wip_unit: "count", wip_policy: "warn",
  },
});

const board = (columns: BoardColumn[], revision = "1"): KnownBoard =>
  ({ team_id: "team", columns, fields: [], field_users: [], revision });

/** The changes that the service would answer. */
function between(before: KnownBoard, now: KnownBoard): BoardChanges {
  const text = JSON.stringify;
  const cardsOf = ({ columns }: KnownBoard) =>
    columns.flatMap(({ status, cards }) => cards.map((one) => ({ status_id: status.id, card: one })));
  const headsOf = ({ columns }: KnownBoard) => columns.map(({ cards: _, ...head }) => head);
  const differ = <Part>(parts: Part[], others: Part[]) => {
    const known = new Set(others.map((part) => text(part)));
    return parts.filter((part) => !known.has(text(part)));
  };
  const ids = new Set(cardsOf(now).map(({ card: { id } }) => id));
  return {
    team_id: now.team_id, revision: now.revision, is_whole: false,
    column_ids: now.columns.map(({ status }) => status.id),
    columns: differ(headsOf(now), headsOf(before)), cards: differ(cardsOf(now), cardsOf(before)),
    removed_card_ids: cardsOf(before).map(({ card: { id } }) => id).filter((id) => !ids.has(id)),
    fields: now.fields, field_users: now.field_users,
  };
}

test("changes make one board the other", () => {
  const ranks = ["0", "A", "Z", "a", "a0", "z"];
  const boards = [
    board([]),
    board([column("todo", ranks.map((rank) => card(`c${rank}`, { rank }))), column("done", [])]),
    board([column("done", ranks.map((rank) => card(`c${rank}`, { rank, effort: 2 }))), column("todo", [])], "2"),
    board([column("todo", [card("cz", { rank: "0" }), card("new", { rank: "0V" }), card("cA", { rank: "b" })])], "3"),
    board([column("new", [card("c0", { rank: "A" })]), column("done", [card("ca", { rank: "a" })])], "4"),
  ];
  for (const before of boards) {
    for (const now of boards) assert.deepEqual(withChanges(before, between(before, now)), now);
  }
});

test("what did not change keeps its identity", () => {
  const before = board([column("todo", [card("a"), card("b")]), column("done", [card("c")])]);
  const now = board([column("todo", [card("a"), card("b", { name: "B" })]), column("done", [card("c")])], "2");
  const made = withChanges(before, between(before, now));
  assert.equal(made.columns[1], before.columns[1]);
  assert.equal(made.columns[0]?.cards[0], before.columns[0]?.cards[0]);
  assert.equal(made.columns[0]?.cards[1]?.name, "B");
});

test("without a known revision the changes are the whole board", () => {
  const now = board([column("todo", [card("a")])], "2");
  const changes = { ...between(board([]), now), is_whole: true };
  assert.deepEqual(withChanges(board([column("old", [card("x")]), column("todo", [card("y")])]), changes), now);
});
