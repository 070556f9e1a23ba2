import assert from "node:assert/strict";
import { test } from "node:test";
import { dayOfMoment, momentOf, momentTyped, openPastCard, pastHref, sayMoment, shownThen, typedMoment, type PastBoard }
  from "./past";
import { card, cardApiOf, column, read } from "./testing";

declare const process: { env: Record<string, string | undefined> };

test("a moment goes through the address and the field unchanged to the second", () => {
  const at = "2026-11-29T10:00:07.000Z";
  const href = pastHref("/orgs/o/teams/t?q=seal", at);
  assert.equal(momentOf(new URLSearchParams(href.split("?")[1])), at);
  assert.equal(momentTyped(typedMoment(at)), at);
  assert.equal(momentTyped(""), null);
  assert.equal(sayMoment("yesterday"), "yesterday");
  assert.equal(momentOf(new URLSearchParams("q=seal")), null);
});

test("a typed moment is the person's own in each zone, through a change of the clocks", () => {
  const before = process.env.TZ;
  for (const zone of ["America/St_Johns", "Europe/Berlin", "Pacific/Kiritimati"]) {
    process.env.TZ = zone;
    for (const at of ["2026-03-29T00:59:59.000Z", "2026-10-25T03:00:00.000Z", "2026-11-29T10:00:07.000Z"]) {
      assert.equal(momentTyped(typedMoment(at)), at, zone);
    }
  }
  process.env.TZ = "Pacific/Kiritimati";
  assert.equal(dayOfMoment("2026-11-29T10:00:07Z"), "2026-11-30");
  process.env.TZ = before ?? "UTC";
});

test("a card of the past has the names of what it refers to", async () => {
  const then = read("c", { name: "Old" });
  const asked: string[] = [];
  const readThen = async (_: unknown, at: string) => {
    asked.push(at);
    return then;
  };
  const api = { read: readThen, around: cardApiOf(() => then) };
  then.indexCard.tag_ids = ["t1", "gone"];
  const past = await openPastCard({ projectId: "p", cardId: "c" }, "2026-01-02T00:00:00Z", api);
  assert.deepEqual(asked, ["2026-01-02T00:00:00Z"]);
  assert.deepEqual([past.summary.name, past.summary.tags.map(({ name }) => name)], ["Old", ["urgent"]]);
});

test("a filter shows the cards of the past that pass it, by the day of then", () => {
  const due = (id: string, day: string) => card(id, { deadline: `${day}T23:59:59.999Z` });
  const cards = [due("late", "2026-01-01"), due("due", "2026-01-05")];
  const board = { at: "2026-01-03T12:00:00Z", columns: [column("a", cards), column("b", [])],
    opened: { caller: { id: "u" } } } as unknown as PastBoard;
  const shown = shownThen(board, { due: "late", column: "a" });
  assert.deepEqual(shown.map(({ status, cards: own }) => [status.id, own.map(({ id }) => id)]), [["a", ["late"]]]);
});
