import assert from "node:assert/strict";
import { test } from "node:test";
import { Pictures, type PicturesApi } from "./pictures";

function made(more: Partial<PicturesApi> = {}) {
  const asked: string[][] = [];
  const revoked: string[] = [];
  const waiting: (() => void)[] = [];
  const pictures = new Pictures({
    lookUp: async (people) => {
      asked.push(people);
      return people.filter((one) => one.startsWith("with")).map((userId) => ({ userId, sha256: `hash of ${userId}` }));
    },
    read: async (hash) => new Blob([hash]),
    isAllowed: () => true,
    makeUrl: (blob) => `blob:${blob.size}`,
    revokeUrl: (url) => void revoked.push(url),
    later: (run) => void waiting.push(run),
    ...more,
  });
  const run = async () => {
    for (const one of waiting.splice(0)) one();
    await new Promise((done) => setTimeout(done));
  };
  return { pictures, asked, revoked, run };
}

test("people who are shown together are asked for together, and once", async () => {
  const { pictures, asked, run } = made();
  const [ada, bob] = [pictures.of("with-ada"), pictures.of("bob")];
  assert.equal(pictures.of("with-ada"), ada);
  await run();
  assert.deepEqual(asked, [["with-ada", "bob"]]);
  assert.deepEqual([ada.value, bob.value], ["blob:16", ""]);
  pictures.of("bob");
  await run();
  assert.equal(asked.length, 1);
});

test("more people than a question takes are several questions", async () => {
  const { pictures, asked, run } = made();
  for (let at = 0; at < 250; at += 1) pictures.of(`p${at}`);
  await run();
  assert.deepEqual(asked.map((people) => people.length), [100, 100, 50]);
});

test("a failed question shows letters, and is asked again for who is shown later", async () => {
  let isAway = true;
  const asked: string[][] = [];
  const { pictures, run } = made({ lookUp: async (people) => {
    asked.push(people);
    if (isAway) throw new Error("away");
    return [{ userId: "ada", sha256: "h" }];
  } });
  assert.equal(pictures.of("ada").value, "");
  await run();
  isAway = false;
  const again = pictures.of("ada");
  await run();
  assert.deepEqual([asked, again.value], [[["ada"], ["ada"]], "blob:1"]);
});

test("another picture takes the place of the earlier one, and leaving forgets them all", async () => {
  const { pictures, revoked, run } = made();
  const ada = pictures.of("with-ada");
  await run();
  await pictures.take({ userId: "with-ada", sha256: "other" });
  assert.deepEqual([ada.value, revoked], ["blob:5", ["blob:16"]]);
  await pictures.take({ userId: "with-ada", sha256: null });
  assert.equal(ada.value, "");
  await pictures.take({ userId: "with-ada", sha256: "last" });
  pictures.forget();
  assert.deepEqual(revoked, ["blob:16", "blob:5", "blob:4"]);
});

test("a picture that arrives after the person has left is given up", async () => {
  let arrive = () => {};
  const { pictures, revoked, run } = made({ read: (hash) =>
    new Promise((done) => { arrive = () => done(new Blob([hash])); }) });
  const ada = pictures.of("with-ada");
  await run();
  pictures.forget();
  arrive();
  await new Promise((done) => setTimeout(done));
  assert.deepEqual([ada.value, revoked], ["", ["blob:16"]]);
});

test("nobody is asked for without a sign-in", async () => {
  const { pictures, asked, run } = made({ isAllowed: () => false });
  assert.equal(pictures.of("with-ada").value, "");
  await run();
  assert.deepEqual(asked, []);
});
