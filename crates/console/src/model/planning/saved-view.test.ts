import assert from "node:assert/strict";
import { test } from "node:test";
import type { SavedView } from "../../api/planning/views";
import { filterOf, type Filter } from "./board-filter";
import { parametersOfView, teamOf, viewOf } from "./saved-view";
import { card } from "./testing";

const tag = (id: string, name: string) => ({ id, name, color: "#000000" });
const cards = [card("a", { tags: [tag("t1", "wet, cold"), tag("t2", "dry")] }),
  card("b", { tags: [tag("t3", "dry")] })];
const names = new Map(cards.flatMap(({ tags }) => tags.map(({ id, name }) => [id, name])));

/** The view as the service answers it. */
function saved(filter: Filter, more = {}): SavedView {
  const made = viewOf("Mine", { layout: "table", teamId: "team", filter, fields: null, cards, ...more }, null);
  return { columns: [], groupBy: null, order: null, projectId: null, teamId: null, ...made } as unknown as SavedView;
}

const again = (view: SavedView) => filterOf(parametersOfView(view, names));

test("a filter is saved by ids in lists, and comes back", () => {
  const filter = { assignee: "me,none", priority: "!low,!none", type: "=!odd", column: "c1", sprint: "none",
    due: "late,week", state: "open", blocked: "false", q: "seal", tag: "wet%2C cold,!dry" };
  const view = saved(filter);
  assert.deepEqual(view.filter, { assignee: ["me", "none"], priority: ["!low", "!none"], type: ["=!odd"],
    status: ["c1"], sprint: ["none"], due: ["late", "week"], open: true, blocked: false, q: "seal",
    tag: ["t1", "!t2", "!t3"], team: ["team"] });
  assert.deepEqual(again(view), filter);
  assert.equal(saved({ state: "!open" }).filter.open, false);
  assert.equal(saved({ state: "open,closed" }).filter.open, undefined);
});

test("groups, columns and the order of a table stand in its address, and lanes in a board's", () => {
  const table = { groupBy: "priority", columns: ["key", "due"], order: { by: "due", isDescending: true } };
  const view = saved({}, table);
  assert.equal(parametersOfView(view, names).toString(), "group=priority&columns=key%2Cdue&sort=due&order=desc");
  assert.equal(parametersOfView({ ...view, layout: "board" }, names).toString(), "group=priority");
});

test("a view of one team alone is a page of this team", () => {
  assert.equal(teamOf(saved({})), "team");
  for (const team of [[], ["a", "b"], ["none"], ["!a"]]) {
    assert.equal(teamOf({ filter: { team } as SavedView["filter"] }), undefined);
  }
});
