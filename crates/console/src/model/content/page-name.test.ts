import assert from "node:assert/strict";
import { test } from "node:test";
import { pageName } from "./page-name";

const name = (label: unknown, own = "Page 4") => pageName({ name: own, data: { page: { number: 4, label } } });

test("a page is called by the label of its document where that isn't its number", () => {
  assert.deepEqual(["iv", "A-101", "4", "", undefined, 7].map((label) => name(label)),
    ["Page iv", "Page A-101", "Page 4", "Page 4", "Page 4", "Page 4"]);
});

test("a renamed page, and one without data, keep their names", () => {
  assert.equal(name("iv", "Cover"), "Cover");
  assert.equal(pageName({ name: "Page 1", data: {} }), "Page 1");
});
