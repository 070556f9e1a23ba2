import assert from "node:assert/strict";
import { test } from "node:test";
import { letterOf, strokeOf } from "./keys";

const key = (key: string, code: string, held: Partial<KeyboardEvent> = {}) => ({ key, code, ...held }) as KeyboardEvent;

test("a shortcut works on a Cyrillic layout by the key's place", () => {
  assert.equal(letterOf(key("с", "KeyC")), "c");
  assert.equal(strokeOf(key("л", "KeyK", { ctrlKey: true })), "Ctrl+K");
});

test("on a Latin layout the letter counts, not its place", () => {
  // Dvorak has j where QWERTY has c.
  assert.equal(letterOf(key("j", "KeyC")), "j");
  assert.equal(strokeOf(key("?", "Minus", { shiftKey: true })), "?");
});

test("named keys carry Shift", () => {
  assert.equal(strokeOf(key("ArrowUp", "ArrowUp", { shiftKey: true })), "Shift+ArrowUp");
});
