import assert from "node:assert/strict";
import { test } from "node:test";
import { messageOf, personOf } from "./history";

test("the author of a commit is known by the address that stands for a person, and by no other", () => {
  const id = "0197f3a0-1111-7000-8000-000000000001";
  const from = (email: string) => personOf({ name: "Ada", email });
  assert.equal(from(`${id}@users.noreply.atelier.example`), id);
  assert.equal(from("ada@example.com"), undefined);
  assert.equal(from(`x${id}@users.noreply.atelier.example`), undefined);
});

test("a message is its first line and the rest", () => {
  assert.deepEqual(messageOf({ message: "Cut\n\nTeeth\n" }), { subject: "Cut", rest: "Teeth" });
});
