import assert from "node:assert/strict";
import { test } from "node:test";
import type { IndexCard, Organization, Project, Team } from "../api/places";
import type { Caller } from "./people/account";
import { dueOf, Home } from "./home";

const card = (id: string, deadline: string | null, teams: string[] = []) =>
  ({ id, deadline, project_id: "p", team_ids: teams }) as unknown as IndexCard;
const team = (id: string, updated: string) => ({ id, organization_id: "o", updated_at: updated }) as Team;

test("cards are grouped by the person's day", () => {
  const day = "2026-11-27";
  for (const [deadline, due] of [["2026-11-26", "late"], ["2026-11-27", "today"], ["2026-12-04", "week"],
    ["2026-12-05", "later"], [null, "none"]] as const) {
    assert.equal(dueOf({ deadline: deadline && `${deadline}T00:00:00Z` }, day), due);
  }
});

test("groups without cards are left out", () => {
  const home = new Home({} as Caller, [], []);
  home.cards.value = [card("a", null), card("b", "2000-01-01T00:00:00Z")];
  assert.deepEqual(home.groups.value.map(([due, cards]) => [due, cards.length]), [["late", 1], ["none", 1]]);
});

test("boards with the last activity come first", () => {
  const home = new Home({} as Caller, [], [team("old", "2026-01-02"), team("busy", "2026-01-01")]);
  assert.deepEqual(home.boards.value.map(({ id }) => id), ["old", "busy"]);
  home.activity.value = new Map([["busy", "2026-03-01"], ["old", ""]]);
  assert.deepEqual(home.boards.value.map(({ id }) => id), ["busy", "old"]);
});

test("a card opens on its board, or as a page", () => {
  const home = new Home({} as Caller, [], [team("t", "")]);
  assert.equal(home.hrefOf(card("c", null, ["t"])), "/orgs/o/teams/t?card=c");
  assert.equal(home.hrefOf(card("c", null, ["hidden"])), "/projects/p/cards/c");
  assert.equal(home.hrefOf({ ...card("c", null, ["t"]), key: "GEAR-1" }), "/orgs/o/teams/t?card=GEAR-1");
});

test("a project's owner is named as people name them", () => {
  const home = new Home({ id: "me", name: "Ada" } as Caller, [{ id: "o", name: "Wheels" } as Organization], []);
  const owner = (ownerId: string) => home.ownerOf({ ownerId, ownerSlug: "slug" } as Project);
  assert.deepEqual([owner("o"), owner("me"), owner("other")], ["Wheels", "Ada", "slug"]);
});
