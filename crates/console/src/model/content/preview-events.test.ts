import assert from "node:assert/strict";
import { test } from "node:test";
import { signal } from "@preact/signals";
import type { StreamState } from "../../api/events";
import { PreviewEvents } from "./preview-events";

/** Events, and the files whose pauses have ended. */
function fake(now: StreamState) {
  const [events, state, ended] = [new PreviewEvents(), signal<StreamState>(now), [] as string[]];
  events.follow(state);
  const pause = (sha256: string, ms = 60_000) =>
    events.untilFinished(sha256, events.seen(sha256), ms).then(() => { ended.push(sha256); });
  return { events, state, ended, pause };
}

const settle = () => new Promise((resolve) => { setTimeout(resolve, 0); });

test("the end of a preview ends the pauses of its file alone", async () => {
  const { events, ended, pause } = fake("live");
  const mine = pause("gear");
  void pause("shaft");
  events.finished("gear");
  await mine;
  assert.deepEqual(ended, ["gear"]);
  // Unfinished pauses would keep the test's process.
  events.finished("shaft");
});

test("an end that was told while the question was under way is not missed", async () => {
  const { events, ended } = fake("live");
  const seen = events.seen("gear");
  events.finished("gear");
  await events.untilFinished("gear", seen, 60_000).then(() => { ended.push("gear"); });
  assert.deepEqual(ended, ["gear"]);
});

test("without a stream the pause is that of the service, and a stream that breaks ends it", async () => {
  const { ended, pause } = fake("connecting");
  await pause("gear", 1);
  assert.deepEqual(ended, ["gear"]);
  const broken = fake("live");
  const waited = broken.pause("gear");
  await settle();
  assert.deepEqual(broken.ended, []);
  broken.state.value = "connecting";
  await waited;
});
