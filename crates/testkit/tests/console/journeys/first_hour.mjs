// A person's first hour: signs in by a link, makes a project with a hostile name, uploads, looks, commits, and plans.

import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { HOSTILE, becomes, choose, expect, expected, given, intercept, run } from "./driver.mjs";

const [link] = given;
const url = new URL(link).origin;

run(async ({ page, see, press, look, path }) => {
  await page.goto(`${url}/projects`);
  await see("Sign in to Atelier");
  await look("sign-in");

  await page.goto(link);
  await see("A project holds files");
  expect(!page.url().includes("ticket"), `the ticket stays in ${page.url()}`);
  const kept = await page.evaluate(() => [Object.keys(localStorage).join(), document.cookie]);
  expect(kept.every((text) => text === ""), `kept outside of the tab: ${kept}`);
  await look("first-project");

  await page.locator("#field-name").fill(HOSTILE);
  await choose(page, "#field-owner", "works");
  await press("Create project");
  await see("All changes are committed.");
  await look("project-empty");
  const project = path();

  const folder = mkdtempSync(join(tmpdir(), "console-"));
  const file = join(folder, "gear.txt");
  writeFileSync(file, "Module 2, 20 teeth\n".repeat(20));
  const picker = await page.$("input[type=file]");
  await picker.uploadFile(file);
  await see("1 file uploaded.");
  await see("Module 2, 20 teeth");
  await see("1 uncommitted change");
  await look("file");

  // A larger file goes in pieces, and on after a connection that is lost with the second.
  expected.push("ERR_FAILED");
  const large = join(folder, "block.bin");
  writeFileSync(large, Buffer.alloc(9_000_000, 7));
  let pieces = 0;
  const mend = await intercept(page, (request) =>
    request.method() === "PATCH" && (pieces += 1) === 2 && request.abort());
  await picker.uploadFile(large);
  await page.waitForFunction(() => document.querySelector(".object h2")?.textContent === "block.bin");
  await mend();
  expect(pieces === 4, `${pieces} pieces were sent`);
  await see("9 MB");

  await press("Commit");
  await page.locator("#field-message").fill("Add the gear");
  await page.locator("dialog .primary").click();
  await see("Committed as");
  await see("All changes are committed.");
  await page.reload();
  await page.waitForFunction(() => document.querySelector(".object h2")?.textContent === "block.bin");

  await page.goto(`${url}/projects?q=onerror`);
  await see(HOSTILE.slice(0, 12));
  await look("projects");
  await press("New board");
  await page.locator("#field-name").fill("Wheels");
  await choose(page, "#field-project", HOSTILE.replace("\u202e", ""));
  await page.locator("dialog .primary").click();
  await see("steps of the team's work");
  await press("Add To do, Doing and Done");
  await page.waitForSelector("[data-column] .add button");
  for (const name of ["Cut the teeth", "<b onclick=broken()>Harden</b>"]) {
    await page.keyboard.press("c");
    await page.waitForSelector(".add input");
    await page.keyboard.type(name);
    await page.keyboard.press("Enter");
    await see(name);
    await page.waitForFunction(() => document.activeElement?.matches(".add input"));
    await page.keyboard.press("Escape");
  }
  await look("board");

  await page.focus("[data-card]");
  const placed = page.waitForResponse((answer) => answer.request().method() === "PUT");
  await page.keyboard.down("Shift");
  await page.keyboard.press("ArrowRight");
  await page.keyboard.up("Shift");
  const column = () => page.evaluate(() => [...document.querySelectorAll("[data-column]")].map((one) =>
    `${one.querySelector("h2").textContent}: ${one.querySelectorAll("[data-card]").length}`).join(", "));
  await becomes("after the move", column, "To do: 1, Doing: 1, Done: 0");
  await page.waitForFunction(() => document.activeElement.textContent.includes("Cut the teeth"));
  await placed;
  await page.reload();
  await page.waitForSelector("[data-card]");
  await becomes("after the reload", column, "To do: 1, Doing: 1, Done: 0");

  // A refused move goes back, and says why.
  expected.push("409");
  const [id, done] = await page.evaluate(() => [document.querySelector("[data-card]").dataset.card,
    [...document.querySelectorAll("[data-column]")].at(-1).dataset.column]);
  await page.evaluate(async (board, column) => {
    const { token } = JSON.parse(sessionStorage.getItem("session"));
    const headers = { Authorization: `Bearer ${token}`, "Content-Type": "application/json" };
    const body = JSON.stringify({ wipLimit: 1, wipPolicy: "block" });
    for (const [method, path, content] of [["PATCH", `statuses/${column}`, body],
      ["PUT", `cards/${[...document.querySelectorAll("[data-card]")].at(-1).dataset.card}`,
        JSON.stringify({ statusId: column })]]) {
      const answer = await fetch(`/api/v2${board}/${path}`, { method, headers, body: content });
      if (!answer.ok) throw new Error(await answer.text());
    }
  }, path(), done);
  // The change came from elsewhere: the board shows it without a reload.
  await page.waitForFunction((last) =>
    document.querySelectorAll(`[data-column="${last}"] [data-card]`).length === 1, {}, done);
  await page.focus(`[data-card="${id}"]`);
  await page.keyboard.down("Shift");
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("ArrowRight");
  await page.keyboard.up("Shift");
  await see("wasn't moved");
  await becomes("after the refusal", column, "To do: 0, Doing: 1, Done: 1");
  const covered = await page.evaluate(() => {
    const toast = document.querySelector("[role=alert] > .toast").getBoundingClientRect();
    const meets = ({ left, right, top, bottom }) =>
      left < toast.right && right > toast.left && top < toast.bottom && bottom > toast.top;
    return [...document.querySelectorAll("main :is(a, button, input, [data-card]), .side a")]
      .some((one) => meets(one.getBoundingClientRect())) || toast.bottom > innerHeight;
  });
  expect(!covered, "the reason covers what can be used on the page");
  await look("board-refused");
  await page.keyboard.press("Escape");
  await page.waitForFunction(() => !document.querySelector(".toast"));

  await page.focus(`[data-card="${id}"]`);
  await page.keyboard.press("Enter");
  await page.waitForSelector("#field-card-name");
  await look("card");
  await page.locator("#field-card-description").fill("All twenty.");
  await page.locator(".panel .primary").click();
  await see("Saved.");
  await page.keyboard.press("Escape");

  // A request of the board may be under way while its person leaves.
  expected.push("401");
  const { token } = await page.evaluate(() => JSON.parse(sessionStorage.getItem("session")));
  await press("Account");
  await press("Sign out");
  await see("Sign in to Atelier");
  expect(await page.evaluate(() => sessionStorage.length) === 0, "a token is left");
  const answer = await fetch(`${url}/api/v2/me`, { headers: { Authorization: `Bearer ${token}` } });
  expect(answer.status === 401, `the old token is answered ${answer.status}`);
  await page.goto(url + project);
  await see("Sign in to Atelier");
  await page.locator("#field-token").fill("no token");
  await page.locator("form .primary").click();
  await see("This token isn't valid.");
  await page.goto(link);
  await see("This link has been used");
});
