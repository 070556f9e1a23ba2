import assert from "node:assert/strict";
import { test } from "node:test";
import type { CalendarApi, CalendarFeed, NewCalendarFeed } from "../../api/planning/calendars";
import { Calendars } from "./calendars";

const feed = (id: string, fields: Partial<CalendarFeed> = {}): CalendarFeed => ({
  id,
  name: id,
  mine: false,
  createdAt: "2026-11-02T09:00:00.000Z",
  lastFetchedAt: null,
  ...fields,
});

function fake(held: CalendarFeed[]) {
  const made: NewCalendarFeed[] = [];
  const api: CalendarApi = {
    read: async () => held,
    create: async (body) => {
      made.push(body);
      return { feed: feed("new", { name: body.name }), url: "address" };
    },
    revoke: async () => {},
  };
  return { api, made };
}

test("a feed is made of everything, of a project or of a board", async () => {
  const { api, made } = fake([]);
  const calendars = new Calendars([], api);
  await calendars.create("All", "", false, "1");
  await calendars.create("Gear", "project:p1", true, "2");
  await calendars.create("Wheels", "team:t1", false, "3");
  assert.deepEqual(made, [
    { name: "All" },
    { name: "Gear", projectId: "p1", mine: true },
    { name: "Wheels", teamId: "t1" },
  ]);
});

test("an address is shown though the list can't be read, and the feed is listed", async () => {
  const { api } = fake([]);
  api.read = async () => Promise.reject(new Error("away"));
  const calendars = new Calendars([], api);
  assert.equal((await calendars.create("All", "", false, "1")).url, "address");
  assert.deepEqual(calendars.all.value.map(({ id }) => id), ["new"]);
});

test("a feed says what it has, also of a place that is not listed", () => {
  const calendars = new Calendars([{ value: "project:p1", name: "Project Gear" }]);
  assert.equal(calendars.says(feed("a", { projectId: "p1", mine: true })), "Project Gear, mine only");
  assert.equal(calendars.says(feed("b", { teamId: "t9" })), "One board");
  assert.equal(calendars.says(feed("c")), "Everything I can read");
});
