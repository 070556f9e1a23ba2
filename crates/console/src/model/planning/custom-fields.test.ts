import assert from "node:assert/strict";
import { test } from "node:test";
import { ApiError } from "../../api/errors";
import { fieldsOfCard, inputOf, isAddress, namedRefusal, optionsFor, sayValue, withOption } from "./custom-fields";
import { field, option } from "./testing";

const finish = field("f", { name: "Finish", type: "choices",
  options: [option("a", "oiled"), option("b", "raw", true), option("c", "blued")] });
const names = { person: (id: string) => `person ${id}`, day: (iso: string) => `day ${iso}` };

test("values are said as people read them, and options that are gone as such", () => {
  assert.equal(sayValue(field("w", { type: "number", unit: "kg" }), 0.1, names), "0.1 kg");
  assert.equal(sayValue(field("w", { type: "number" }), 1234.5, names), (1234.5).toLocaleString());
  assert.equal(sayValue(finish, ["a", "b"], names), "oiled, raw");
  assert.equal(sayValue({ ...finish, type: "choice" }, "x", names), "a deleted option");
  assert.equal(sayValue(field("u", { type: "user" }), "1", names), "person 1");
  assert.equal(sayValue(field("d", { type: "date" }), "2026-12-24", names), "day 2026-12-24");
});

test("a typed text becomes a value of its type, and an empty one clears", () => {
  assert.equal(inputOf("number", " 2.50 "), 2.5);
  assert.equal(inputOf("number", ""), null);
  assert.equal(inputOf("text", " steel "), "steel");
  for (const typed of ["2,5", "two", "1e999", "NaN"]) assert.throws(() => inputOf("number", typed), typed);
});

test("options keep their order, archived ones are offered to cards that have them, and the last one clears", () => {
  assert.deepEqual(optionsFor(finish, undefined).map(({ id }) => id), ["a", "c"]);
  assert.deepEqual(optionsFor(finish, ["b"]).map(({ id }) => id), ["a", "b", "c"]);
  assert.deepEqual(withOption(finish, ["c"], "a", true), ["a", "c"]);
  assert.deepEqual(withOption(finish, ["a", "c"], "a", false), ["c"]);
  assert.equal(withOption(finish, ["c"], "c", false), null);
});

test("an archived field is shown on cards that have a value of it", () => {
  const fields = [field("a"), field("b", { status: "archived" }), field("c", { status: "archived" })];
  assert.deepEqual(fieldsOfCard(fields, { b: "x" }).map(({ id }) => id), ["a", "b"]);
});

test("an address runs nothing", () => {
  assert.ok(isAddress("https://example.com"));
  assert.ok(isAddress("mailto:ada@example.com"));
  assert.ok(!isAddress("javascript:alert(1)"));
});

test("a refusal names the field that a request named by its id", () => {
  const issue = (path: string) => new ApiError(400, { code: "INVALID_REQUEST", message: "No.",
    details: { issues: [{ path, rule: "maximum", message: "must be at most 10" }] } });
  const said = (error: unknown) => (error as Error).message;
  for (const place of ["body.fields.f", "body.operations[3].fields.f", "body.data.fields.f"]) {
    assert.equal(said(namedRefusal(issue(place), [finish])), "Finish must be at most 10");
  }
  assert.equal(said(namedRefusal(issue("body.effort"), [finish])), "The effort must be at most 10");
});
