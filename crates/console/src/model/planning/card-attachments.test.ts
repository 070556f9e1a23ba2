import assert from "node:assert/strict";
import { test } from "node:test";
import type { AttachmentsApi, CardAttachment } from "../../api/planning/attachments";
import { undo } from "../undo";
import { CardAttachments, pastedFile } from "./card-attachments";
import { OpenCard } from "./open-card";
import { cardApiOf, read } from "./testing";

const attachment = (name: string) => ({ id: name, name, size: 1 }) as CardAttachment;
const teamOf = (teamId: string) => ({ orgId: "o", teamId });
const file = (name: string) => new File(["x"], name);

/** A card with attachments at a service that keeps what it accepts. */
async function opened(names: string[], others: Partial<AttachmentsApi> = {}) {
  const asked: string[] = [];
  let kept = names.map(attachment);
  const api: AttachmentsApi = {
    attach: async (_path, { name }, { key }) => {
      asked.push(`attach ${name} ${key}`);
      kept = [...kept, attachment(name)];
      return attachment(name);
    },
    read: async () => new Blob(["x"]),
    remove: async (_path, id) => {
      asked.push(`remove ${id}`);
      kept = kept.filter((one) => one.id !== id);
    },
    ...others,
  };
  const now = () => ({ ...read("c"), attachments: kept });
  const card = await OpenCard.open({ projectId: "p", cardId: "c" }, { board: null, teamOf }, cardApiOf(now));
  return { attachments: new CardAttachments(card, api), card, asked };
}

const named = ({ files }: CardAttachments) => files.value.map(({ name }) => name).join();

test("files are sent one after the other, and stand with the card's", async () => {
  const { attachments, asked } = await opened(["a"]);
  const sent = attachments.add([file("b"), file("c")]);
  assert.deepEqual(attachments.sent.value.map((one) => one.file.name), ["b", "c"]);
  await sent;
  assert.equal(named(attachments), "a,b,c");
  assert.deepEqual(attachments.sent.value, []);
  assert.deepEqual(asked.map((one) => one.split(" ")[1]), ["b", "c"]);
});

test("a refused file says why, keeps no other back, and is sent again under its key", async () => {
  const keys: string[] = [];
  const { attachments } = await opened([], {
    attach: async (_path, { name }, { key }) => {
      keys.push(key);
      if (name === "large" && keys.length === 1) throw new Error("No room.");
      return attachment(name);
    },
  });
  await attachments.add([file("large"), file("small")]);
  assert.equal(named(attachments), "small");
  const [refused] = attachments.sent.value;
  assert.equal(refused?.failure, "No room.");
  if (refused) await attachments.retry(refused);
  assert.equal(named(attachments), "small,large");
  assert.equal(keys[0], keys[2]);
});

test("a file that is given up is forgotten", async () => {
  const { attachments } = await opened([], { attach: async () => { throw new Error("No room."); } });
  await attachments.add([file("a")]);
  attachments.sent.value.forEach((one) => attachments.giveUp(one));
  assert.deepEqual([attachments.sent.value.length, named(attachments)], [0, ""]);
});

test("a file says how much of it has arrived, and can be given up on its way and before", async () => {
  const ended: string[] = [];
  const { attachments } = await opened([], {
    attach: (_path, { name }, { signal, progress }) => new Promise((_, reject) => {
      progress(0.5);
      signal.addEventListener("abort", () => {
        ended.push(name);
        reject(new Error("Cancelled."));
      });
    }),
  });
  const sent = attachments.add([file("a"), file("b")]);
  await Promise.resolve();
  assert.deepEqual(attachments.sent.value.map(({ part }) => part), [0.5, 0]);
  const [first, second] = attachments.sent.value;
  if (second) attachments.giveUp(second);
  if (first) attachments.giveUp(first);
  assert.deepEqual(await sent, []);
  assert.deepEqual([ended, attachments.sent.value, named(attachments)], [["a"], [], ""]);
});

test("a removed file is gone at once, stays so over a reading, and comes back by undo", async () => {
  const { attachments, card, asked } = await opened(["a", "b"]);
  const [first] = attachments.files.value;
  if (first) attachments.remove(first);
  await card.refresh();
  assert.equal(named(attachments), "b");
  await undo();
  assert.equal(named(attachments), "a,b");
  assert.deepEqual(asked, []);
});

test("images, texts and meshes have a picture, and other files none", async () => {
  const { attachments } = await opened([]);
  const of = (name: string, mimeType: string, size = 1) =>
    attachments.picturedOf({ ...attachment(name), mimeType, size, sha256: "h" })?.card;
  assert.deepEqual([of("a.png", "image/png"), of("a.csv", "text/csv"), of("a.stl", "model/stl")], ["c", "c", "c"]);
  assert.deepEqual([of("a.zip", "application/zip"), of("a.png", "image/png", 0)], [undefined, undefined]);
});

test("a pasted picture is named by its time, and another file keeps its name", () => {
  const now = new Date(2026, 10, 9, 8, 7, 6);
  assert.equal(pastedFile(file("image.png"), now).name, "2026-11-09 08.07.06.png");
  assert.equal(pastedFile(file("gear.png"), now).name, "gear.png");
});
