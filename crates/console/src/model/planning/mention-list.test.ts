import assert from "node:assert/strict";
import { test } from "node:test";
import { peopleFor, typedHandle, withHandle } from "./mention-list";

const ADA = { handle: "ada", name: "Ada Lovelace" };
const BOB = { handle: "b-7", name: "Bob" };
const ZOE = { handle: "zoe", name: "Zoë Ada-Maria" };

test("a handle is typed behind its sign, up to the caret", () => {
  assert.deepEqual(typedHandle("ask @a", 6), { from: 4, typed: "a" });
  assert.deepEqual(typedHandle("ask @ada now", 6), { from: 4, typed: "a" });
  assert.deepEqual(typedHandle("@", 1), { from: 0, typed: "" });
  assert.deepEqual(typedHandle("(@Zoë", 5), { from: 1, typed: "Zoë" });
  for (const said of ["", "ask", "a@ada", "@@ada", "host/@ada", "@ada ", "@ada."]) {
    assert.equal(typedHandle(said, said.length), null, said);
  }
});

test("people are found by their handle and by each of their names", () => {
  const people = [ZOE, BOB, ADA];
  assert.deepEqual(peopleFor(people, ""), [ADA, BOB, ZOE]);
  assert.deepEqual(peopleFor(people, "AD"), [ADA, ZOE]);
  assert.deepEqual(peopleFor(people, "love"), [ADA]);
  assert.deepEqual(peopleFor(people, "b-"), [BOB]);
  assert.deepEqual(peopleFor(people, "zoe"), [ZOE]);
  assert.deepEqual(peopleFor(people, "zoë"), [ZOE]);
  assert.deepEqual(peopleFor(people, "x"), []);
  assert.equal(peopleFor(Array.from({ length: 9 }, (_, at) => ({ handle: `p${at}`, name: "P" })), "p").length, 6);
});

test("a chosen handle replaces what was typed, with one blank behind it", () => {
  assert.deepEqual(withHandle("ask @lo", 7, { from: 4, typed: "lo" }, "ada"), { said: "ask @ada ", caret: 9 });
  assert.deepEqual(withHandle("ask @lo now", 7, { from: 4, typed: "lo" }, "ada"), { said: "ask @ada now", caret: 9 });
});
