import assert from "node:assert/strict";
import { test } from "node:test";
import { ShownFields } from "./shown-fields";
import { card, field, option } from "./testing";

const risk = field("r", { name: "Risk", type: "choice", options: [option("low"), option("high")] });
const risky = field("q", { name: "risk", type: "choice", project_id: "q", options: [option("high2", "High")] });
const buyer = field("b", { name: "Buyer", type: "user" });
const weight = field("w", { name: "Weight", type: "number", unit: "kg" });

function shown(): ShownFields {
  const fields = new ShownFields();
  fields.take({ fields: [risk, buyer, risky, weight], field_users: [{ id: "u", display_name: "Ada" }] });
  return fields;
}

test("a card shows its values in words, in the order of the fields", () => {
  const said = (fields: Record<string, string | number>) =>
    shown().of(card("a", { fields }), (iso) => iso).map(({ name, said }) => `${name}: ${said}`);
  assert.deepEqual(said({ w: 2.5, b: "u", r: "high" }), ["Risk: high", "Buyer: Ada", "Weight: 2.5 kg"]);
  assert.deepEqual(said({ q: "high2" }), ["Risk: High"]);
  assert.deepEqual(said({ gone: "x" }), []);
});

test("a board has lanes by options and people alone", () => {
  assert.deepEqual(shown().laneColumns().map(({ name }) => name), ["Risk", "Buyer"]);
  assert.equal(shown().lane("field-w"), undefined);
});

test("an answer that says the same draws nothing again", () => {
  const fields = shown();
  const [columns, people] = [fields.columns.value, fields.people.value];
  const again = { fields: [risk, buyer, risky, weight], field_users: [{ id: "u", display_name: "Ada" }] };
  fields.take(structuredClone(again));
  assert.equal(fields.columns.value, columns);
  assert.equal(fields.people.value, people);
});
