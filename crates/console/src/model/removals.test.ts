import assert from "node:assert/strict";
import { test } from "node:test";
import { messages } from "./messages";
import { Removals } from "./removals";
import { sendWaiting, undo } from "./undo";

const itself = (id: string) => id;

function fake() {
  const [removals, sent]: [Removals, string[]] = [new Removals(), []];
  let all = ["ada", "bob"];
  const remove = (id: string, refusal?: Error) => removals.later({ id, name: id, says: `${id} is removed.`,
    send: async () => {
      sent.push(id);
      if (refusal) throw refusal;
      all = all.filter((one) => one !== id);
    } });
  return { remove, sent, shown: () => removals.shown(all, itself) };
}

test("what is removed is hidden at once, and sent when the page is left", async () => {
  const { remove, sent, shown } = fake();
  remove("bob");
  assert.deepEqual([shown(), sent], [["ada"], []]);
  assert.ok(messages.value.some(({ message }) => message === "bob is removed."));
  await sendWaiting();
  assert.deepEqual([shown(), sent], [["ada"], ["bob"]]);
});

test("a removal that is taken back is never sent", async () => {
  const { remove, sent, shown } = fake();
  remove("bob");
  await undo();
  await sendWaiting();
  assert.deepEqual([shown(), sent], [["ada", "bob"], []]);
});

test("a refused removal shows the entry again, with the reason", async () => {
  const { remove, shown } = fake();
  remove("ada", new Error("The last owner stays."));
  await sendWaiting();
  assert.deepEqual(shown(), ["ada", "bob"]);
  assert.ok(messages.value.some(({ message, bad }) => bad && message === "ada is still there: The last owner stays."));
});
