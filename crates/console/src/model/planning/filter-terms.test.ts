import assert from "node:assert/strict";
import { test } from "node:test";
import { flipped, onlyValue, passes, termsOf, textOf, textOfValue, toggled } from "./filter-terms";

test("terms are values and their opposites, and come back from their text", () => {
  assert.deepEqual(termsOf("high,!low"), [{ value: "high", isNot: false }, { value: "low", isNot: true }]);
  assert.deepEqual(termsOf(undefined), []);
  for (const name of ["high", "!odd", "=!odd", "=x", "a, b", "50%", "100%2C"]) {
    const text = textOfValue(name);
    assert.deepEqual(termsOf(text), [{ value: name, isNot: false }], text);
    assert.deepEqual(termsOf(textOf([{ value: name, isNot: true }])), [{ value: name, isNot: true }]);
  }
  assert.equal(textOfValue("!odd"), "=!odd");
  // Addresses of before have names as they are.
  assert.deepEqual(termsOf("50% done"), [{ value: "50% done", isNot: false }]);
});

test("one of the values passes, and none behind a not", () => {
  const ofAda = (text: string) => passes(text, (value) => value === "ada");
  assert.ok(ofAda("bob,ada") && ofAda("!bob") && ofAda(""));
  assert.ok(!ofAda("bob") && !ofAda("!ada") && !ofAda("ada,!ada"));
  const has = (value: string) => ["wet", "dry"].includes(value);
  assert.ok(passes("wet,dry", has, { all: true }));
  assert.ok(!passes("wet,cold", has, { all: true }));
});

test("a value comes, turns round and goes", () => {
  assert.equal(toggled(undefined, "low"), "low");
  assert.equal(toggled("low", "high"), "low,high");
  assert.equal(flipped("low,high", "low"), "!low,high");
  assert.equal(toggled("!low,high", "low"), "high");
  assert.equal(toggled("high", "high"), "");
  assert.equal(onlyValue("s1"), "s1");
  for (const text of ["none", "!s1", "s1,s2", undefined]) assert.equal(onlyValue(text), undefined);
});
