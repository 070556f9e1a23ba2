import assert from "node:assert/strict";
import { test } from "node:test";
import { isComposing, isSend, letterOf, strokeOf } from "./keys";

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

test("a key of an input method sends nothing, also WebKit's that comes after the composition", () => {
  const enter = (held: Partial<KeyboardEvent>) =>
    key("Enter", "Enter", { ctrlKey: true, metaKey: false, isComposing: false, ...held });
  assert.equal(isSend(enter({ keyCode: 13 })), true);
  assert.equal(isSend(enter({ keyCode: 13, metaKey: true, ctrlKey: false })), true);
  assert.equal(isSend(enter({ keyCode: 13, ctrlKey: false })), false);
  for (const held of [{ isComposing: true, keyCode: 13 }, { isComposing: true, keyCode: 229 }, { keyCode: 229 }]) {
    assert.equal(isComposing(enter(held)), true);
    assert.equal(isSend(enter(held)), false);
  }
});
