// Files of a card: a picture that is pasted into a comment and a description, and a large file that is cancelled and
// sent again.

import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { becomes, expect, expected, given, intercept, run, until } from "./driver.mjs";
import { boardOf, callerOf, signIn } from "./service.mjs";

const [link, org] = given;
const url = new URL(link).origin;
const COMMENT = ".activity + .failure + .editor textarea";

/** Pastes a picture as a browser does after a screenshot was taken. */
const paste = (page, selector) => page.evaluate(async (at) => {
  const canvas = new OffscreenCanvas(64, 40);
  const ink = canvas.getContext("2d");
  ink.fillStyle = "teal";
  ink.fillRect(8, 8, 48, 24);
  const picture = new File([await canvas.convertToBlob({ type: "image/png" })], "image.png", { type: "image/png" });
  const clipboardData = new DataTransfer();
  clipboardData.items.add(picture);
  const field = document.querySelector(at);
  field.focus();
  field.dispatchEvent(new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true }));
}, selector);

run(async ({ page, see, press, look, quiet }) => {
  await signIn(page, link);
  const call = callerOf(page);
  const { project, place, statuses } = await boardOf(call, org,
    { team: "Wheels", project: "Gearbox", columns: ["To do"] });
  const { card } = await call("POST", `/projects/${project}/cards`, { name: "Measure the ring" });
  await call("PUT", `${place}/cards/${card.id}`, { statusId: statuses[0] });
  await page.goto(`${url}${place}?card=${card.id}`);
  await page.waitForSelector(COMMENT);
  const attached = async () => (await call("GET", `/projects/${project}/cards/${card.id}/attachments`)).attachments;
  const written = (selector) => page.waitForFunction((at) =>
    document.querySelector(at).value.includes("](attachment:"), {}, selector);
  // A picture is read when it comes near what is seen.
  const seen = async (selector) => {
    const place = await page.waitForSelector(`${selector.split(" ")[0]} .text-picture`);
    await place.evaluate((element) => element.scrollIntoView({ block: "center" }));
    await page.waitForFunction((at) => document.querySelector(at)?.naturalWidth > 0, {}, selector);
  };

  // In a comment, between words. The picture that is shown is the service's.
  await page.locator(COMMENT).fill("Here it is:");
  await paste(page, COMMENT);
  await written(COMMENT);
  const [picture] = await attached();
  expect(/^\d{4}-\d\d-\d\d .*\.png$/.test(picture.name), `a pasted picture is called ${picture.name}`);
  await becomes("the comment", () => page.$eval(COMMENT, (field) => field.value),
    `Here it is: ![${picture.name}](attachment:${picture.id}) `);
  await page.keyboard.type("the run-out.");
  await page.keyboard.down("Control");
  await page.keyboard.press("Enter");
  await page.keyboard.up("Control");
  await seen(".comment .text-picture img");
  const shown = await page.$eval(".comment .text-picture img", ({ src, alt }) => ({ src, alt }));
  expect(shown.src.startsWith("blob:") && shown.alt === picture.name, `the picture is ${shown.src}, ${shown.alt}`);
  await see("the run-out.");
  await look("attachments-comment");
  await page.reload();
  await seen(".comment .text-picture img");

  // In the description: the text is sent with it.
  await paste(page, "#field-card-description");
  await written("#field-card-description");
  await page.focus("#field-card-description");
  await press("Save");
  await seen(".description .text-picture img");
  expect((await attached()).length === 2, "the second picture is not attached");

  // One that is removed leaves its name, struck.
  await call("DELETE", `/projects/${project}/cards/${card.id}/attachments/${picture.id}`);
  await page.waitForFunction((name) => document.querySelector(".comment s")?.textContent === name, {}, picture.name);
  expect(await page.$(".comment img") === null, "a removed picture is shown");

  // A large file says how far it is. Pieces after the first are held until it is cancelled.
  let [pieces, hold] = [0, true];
  const discarded = [];
  const release = await intercept(page, (request) => {
    if (!request.url().includes("/attachment-uploads")) return false;
    if (request.method() === "DELETE") discarded.push(request.url());
    return request.method() === "PATCH" && (pieces += 1) > 1 && hold;
  });
  // The browser tells of a request that the page has ended, and of an upload that is locked until the service has seen
  // that: the page asks again.
  expected.push("ERR_ABORTED", "net::ERR", "a status of 423");
  const large = join(mkdtempSync(join(tmpdir(), "console-")), "ring.bin");
  writeFileSync(large, Buffer.alloc(9_000_000, 7));
  const choose = async () => (await page.$(".card-panel input[type=file]")).uploadFile(large);
  await choose();
  await see("46 %");
  await look("attachments-under-way");
  const gone = page.waitForResponse((answer) =>
    answer.request().method() === "DELETE" && answer.url().includes("/attachment-uploads/"));
  await press("Don't attach ring.bin");
  await page.waitForFunction(() => !document.body.innerText.includes("ring.bin"));
  expect((await gone).status() === 204, `the service answered ${(await gone).status()}`);
  hold = false;
  await choose();
  await page.locator(`::-p-aria([name="Download ring.bin"][role="button"])`).wait();
  await until(() => pieces > 3, "the pieces of the second upload");
  expect(discarded.length >= 1, "the service was not told");
  expect((await attached()).map(({ size }) => size).includes(9_000_000), "the large file is not attached");
  await quiet();
  await release();
});
