import assert from "node:assert/strict";
import { test } from "node:test";
import { networkError } from "../../api/errors";
import { Composer } from "./composer";

function fake() {
  let kept: string | null = null;
  const sent: [string, string][] = [];
  let failure: unknown = null;
  const options = {
    draft: { read: () => kept, keep: (text: string) => { kept = text; }, end: () => { kept = null; } },
    send: async (words: string, key: string) => {
      sent.push([words, key]);
      if (failure) throw failure;
    },
    sending: () => {},
    refused: () => {},
  };
  return { options, sent, kept: () => kept, fail: (error: unknown) => { failure = error; } };
}

test("what is typed is kept until it is sent", async () => {
  const { options, kept } = fake();
  const composer = new Composer(options);
  composer.type("Make a shaft.");
  assert.equal(new Composer(options).text.value, "Make a shaft.");
  await composer.send();
  assert.deepEqual([composer.text.value, kept()], ["", null]);
});

test("words whose answer was lost are sent again as the same request", async () => {
  const { options, sent, fail } = fake();
  const composer = new Composer(options);
  composer.type("Go");
  fail(networkError());
  await composer.send();
  assert.equal(composer.text.value, "Go");
  fail(null);
  await new Composer(options).send();
  assert.equal(sent[0]?.[1], sent[1]?.[1]);
});

test("refused words come back before what was typed meanwhile, and their next try is another request", async () => {
  const { options, sent, fail } = fake();
  const composer = new Composer(options);
  composer.type("Go");
  fail(new Error("Not now."));
  const sending = composer.send();
  composer.type("there");
  await sending;
  assert.deepEqual([composer.text.value, composer.failure.value], ["Go\nthere", "Not now."]);
  composer.type("Go");
  fail(null);
  await composer.send();
  assert.ok(sent[0]?.[1] !== sent[1]?.[1]);
});
