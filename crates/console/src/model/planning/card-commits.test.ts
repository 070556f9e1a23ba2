import assert from "node:assert/strict";
import { test } from "node:test";
import type { CardCommit } from "../../api/content/versions";
import { CardCommits } from "./card-commits";
import { OpenCard } from "./open-card";
import { cardApiOf, read, settle } from "./testing";

const commit = (commitHash: string) => ({ commitHash, message: `Closes GEAR-1 by ${commitHash}` }) as CardCommit;
const teamOf = (teamId: string) => ({ orgId: "o", teamId });
const open = () => OpenCard.open({ projectId: "p", cardId: "c" }, { board: null, teamOf }, cardApiOf(() => read("c")));

test("the commits of a card are read with it, until that ends", async () => {
  const card = await open();
  let answers = [commit("a")];
  const commits = new CardCommits(card, async ({ cardId }) => (cardId === "c" ? answers : []));
  const end = commits.follow();
  await settle();
  assert.deepEqual(commits.commits.value.map(({ commitHash }) => commitHash), ["a"]);
  answers = [commit("b"), commit("a")];
  await card.refresh();
  await settle();
  assert.deepEqual(commits.commits.value.map(({ commitHash }) => commitHash), ["b", "a"]);
  end();
  answers = [];
  await card.refresh();
  await settle();
  assert.equal(commits.commits.value.length, 2);
});

test("an older answer never covers a newer one, and a refusal hides nothing", async () => {
  const answers: ((commits: CardCommit[]) => void)[] = [];
  const commits = new CardCommits(await open(), () => new Promise((done) => { answers.push(done); }));
  const readings = [commits.read(), commits.read()];
  answers[1]?.([commit("b")]);
  answers[0]?.([commit("a")]);
  await Promise.all(readings);
  assert.deepEqual(commits.commits.value.map(({ commitHash }) => commitHash), ["b"]);

  const refused = new CardCommits(await open(), () => Promise.reject(new Error("not here")));
  const end = refused.follow();
  await settle();
  assert.deepEqual(refused.commits.value, []);
  end();
});
