import assert from "node:assert/strict";
import { test } from "node:test";
import { isKey, keysIn, piecesOf } from "./mentions";
import { hrefOfKey } from "./project-keys";

test("a key is a whole word, as the service reads it", () => {
  for (const said of ["GEAR-12", "gear-12", "(Gear-12)", "a/GEAR-12-teeth", "_GEAR-12_",
    "修复GEAR-12的问题", "GEAR-12."]) {
    assert.deepEqual(keysIn(said), ["GEAR-12"], said);
  }
  for (const said of ["XXXXGEAR-12", "1GEAR-12", "ÉGEAR-12", "GEAR-12a", "GEAR-12é", "GEAR-12\uff13",
    "GEAR-012", "GEAR-0", "GEAR-9223372036854775808", "G-1", "GEAR-12345678901234567890"]) {
    assert.deepEqual(keysIn(said), [], said);
  }
  assert.deepEqual(keysIn("GEAR-123, gear-123 and GEAR-9223372036854775807"),
    ["GEAR-123", "GEAR-9223372036854775807"]);
});

test("no key stands in code or in an address", () => {
  assert.deepEqual(keysIn("`GEAR-1` https://works.example/GEAR-2 git+ssh://host/GEAR-3?x=GEAR-4 but `GEAR-5"),
    ["GEAR-5"]);
});

test("a handle is a whole name behind its sign, as the service reads it", () => {
  const handles = (said: string) =>
    piecesOf(said).flatMap((piece) => (typeof piece !== "string" && "handle" in piece ? [piece.handle] : []));
  for (const said of ["@ada-2", "(@ada-2)", "_@ada-2_", "ask @ada-2.", "@ada-2: see", "@ada-2- or", "请@ada-2看",
    "@ada-2/"]) {
    assert.deepEqual(handles(said), ["ada-2"], said);
    assert.deepEqual(keysIn(said), [], said);
  }
  for (const said of ["ada-2", "a@ada-2", "1@ada-2", "é@ada-2", "@@ada-2", "/@ada-2", "@ada-2.org", "@ada-2_x",
    "@ada-2/gears", "@ada-2@host", "@ada-2é", "@ ada-2", "@-ada-2", "@ada--2", "@", "`@ada-2`",
    "https://host/@ada-2"]) {
    assert.deepEqual(handles(said), [], said);
  }
  assert.deepEqual(piecesOf("@Bob, see GEAR-1"), [{ handle: "Bob" }, ", see ", { key: "GEAR-1" }]);
});

test("the pieces of a text are the whole text", () => {
  const said = "Closes gear-1, XXXXGEAR-2 and GEAR-3";
  const pieces = piecesOf(said);
  assert.deepEqual(pieces, ["Closes ", { key: "gear-1" }, ", XXXXGEAR-2 and ", { key: "GEAR-3" }]);
  assert.equal(pieces.map((piece) => (isKey(piece) ? piece.key : piece)).join(""), said);
  assert.deepEqual(piecesOf(""), []);
});

test("a key leads to the card of the text's own project, then of one with the same owner", () => {
  const known = [{ id: "far", key: "PUMP", ownerId: "other" }, { id: "near", key: "PUMP", ownerId: "org" },
    { id: "p", key: "GEAR", ownerId: "org" }];
  const own = { id: "p", key: "GEAR", ownerId: "org" };
  assert.equal(hrefOfKey("gear-12", own, []), "/projects/p/cards/GEAR-12");
  assert.equal(hrefOfKey("PUMP-3", own, known), "/projects/near/cards/PUMP-3");
  assert.equal(hrefOfKey("PUMP-3", { id: "q", key: null }, known), "/projects/far/cards/PUMP-3");
  assert.equal(hrefOfKey("GEAR-1", { id: "p", key: null }, known), "/projects/p/cards/GEAR-1");
  assert.equal(hrefOfKey("ISO-4762", own, known), undefined);
});
