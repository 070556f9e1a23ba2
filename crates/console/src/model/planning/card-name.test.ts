import assert from "node:assert/strict";
import { test } from "node:test";
import { cardHref, cardNamed, isKey, titleOf } from "./card-name";

test("a card is found by its key in any case, or by its id", () => {
  const cards = [{ id: "01a", key: "GEAR-12" }, { id: "01b", key: null }];
  assert.equal(cardNamed(cards, "gear-12")?.id, "01a");
  assert.equal(cardNamed(cards, "01b")?.id, "01b");
  assert.equal(cardNamed(cards, ""), undefined);
  assert.equal(cardNamed(cards, "GEAR-1"), undefined);
});

test("a key has two to six letters and a number that begins with no zero", () => {
  for (const key of ["GE-1", "gearbx-120"]) assert.ok(isKey(key), key);
  for (const other of ["G-1", "GEARBOX-1", "GEAR-01", "GEAR-0", "GEAR-", "GEAR 1", "01a2-3"]) {
    assert.ok(!isKey(other), other);
  }
});

test("a card without a key is named by its id", () => {
  assert.equal(cardHref("p", { id: "01a", key: "GEAR-12" }), "/projects/p/cards/GEAR-12");
  assert.equal(cardHref("p", { id: "01b", key: null }), "/projects/p/cards/01b");
  assert.equal(titleOf({ key: "GEAR-12", name: "Cut" }), "GEAR-12 Cut");
  assert.equal(titleOf({ key: null, name: "Cut" }), "Cut");
});
