// Uploads that a person cancels, one and all, here and at the service; and folders without files.

import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, expected, given, intercept, run, until } from "./driver.mjs";
import { callerOf, clickRow, dropOn, rowOf, signIn } from "./service.mjs";

const [link, org] = given;
const url = new URL(link).origin;

run(async ({ page, see, press, follow, look, quiet }) => {
  await signIn(page, link);
  const call = callerOf(page);
  const { id } = await call("POST", "/projects", { name: "Gearbox", orgId: org });
  await page.goto(`${url}/projects/${id}`);
  await see("Select an object");
  const folder = mkdtempSync(join(tmpdir(), "console-"));
  const [first, second] = ["housing.bin", "shaft.bin"].map((name) => {
    writeFileSync(join(folder, name), Buffer.alloc(9_000_000, 7));
    return join(folder, name);
  });

  // Pieces after the first are held until the upload is cancelled.
  let pieces = 0;
  let hold = true;
  const discarded = [];
  let [begun, held] = [0, null];
  // Pages tell of a piece before the script hears of the next request.
  const heldAfter = async (before) => {
    await until(() => held !== before, "the next piece");
    return held;
  };
  const release = await intercept(page, (request) => {
    if (request.method() === "POST" && request.url().includes("/resumable/")) begun += 1;
    if (request.method() === "PATCH" && request.url().includes("/resumable/") && (pieces += 1) > 1 && hold) {
      held = request;
      return true;
    }
    if (request.method() === "DELETE" && request.url().includes("/resumable/")) discarded.push(request.url());
    return false;
  });
  // The browser tells of a request that the page has ended, and of an upload that is locked until the service has seen
  // that: the page asks again.
  expected.push("ERR_ABORTED", "net::ERR", "a status of 423");
  await (await page.$("main input[type=file]")).uploadFile(first, second);
  await see("Uploading: 0 of 2 files");
  await page.locator(".status summary").click();
  await see("Uploading housing.bin: 46 %");
  await look("uploads-under-way");
  const gone = page.waitForResponse((answer) =>
    answer.request().method() === "DELETE" && answer.url().includes("/resumable/"));
  const before = held;
  await press("Cancel the upload of housing.bin");
  await see("cancelled");
  expect((await gone).status() === 204, `the service answered ${(await gone).status()}`);
  // The other goes on while the person is elsewhere: every page tells of it, and leads back.
  await see("Uploading shaft.bin: 0 %");
  await heldAfter(before);
  await page.evaluate(() => { globalThis.isSame = true; });
  await follow("History");
  await see("Create the project");
  expect(await page.$eval(".uploading summary", (line) => line.textContent.includes("1 of 2 files")),
    "the upload is not told elsewhere");
  await look("uploads-elsewhere");
  await follow("Go to the files");
  await rowOf(page, "Model");
  expect(!(await page.evaluate(() => document.body.innerText)).includes("interrupted"),
    "a running upload is called interrupted");
  await see("Uploading shaft.bin: 0 %");
  await follow("History");
  await see("Create the project");
  hold = false;
  await held.continue();
  await see("1 uploaded, 1 not.");
  await follow("Files");
  await see("1 uploaded, 1 not.");
  expect(await page.evaluate(() => globalThis.isSame), "the page was loaded again");
  await rowOf(page, "shaft.bin");
  await look("uploads-cancelled");
  const names = async () => (await call("GET", `/projects/${id}/tree`)).tree.map(({ name }) => name);
  expect(!(await names()).includes("housing.bin"), "a cancelled upload is in the tree");
  expect(discarded.length >= 1, "the service was not told");
  await page.reload();
  await rowOf(page, "shaft.bin");
  expect(!(await page.evaluate(() => document.body.innerText)).includes("interrupted"),
    "a cancelled upload is to go on");

  // All at once: what is under way ends, and what waits is never begun.
  [pieces, hold] = [0, true];
  await (await page.$("main input[type=file]")).uploadFile(first, second);
  await page.waitForFunction(() =>
    sessionStorage.length > 0 && Object.keys(sessionStorage).some((key) => key.startsWith("upload:")));
  await press("Cancel all");
  await see("2 uploads were cancelled.");
  await page.waitForFunction(() => !Object.keys(sessionStorage).some((key) => key.startsWith("upload:")));
  expect((await names()).filter((name) => name.endsWith(".bin")).join() === "shaft.bin",
    `the tree has ${await names()}`);

  // A lost network costs nothing: the upload goes on where it was.
  const third = join(folder, "plate.bin");
  writeFileSync(third, Buffer.alloc(9_000_000, 8));
  [pieces, hold, begun] = [0, true, 0];
  const cancelled = held;
  // They have no pictures, whose drawing would take the processor that the upload needs.
  const many = Array.from({ length: 60 }, (_, at) => join(folder, `note-${at}.dat`));
  for (const one of many) writeFileSync(one, one);
  await (await page.$("main input[type=file]")).uploadFile(...many, third);
  // Of a long list the file that is being sent is in view.
  await page.locator(".status summary").click();
  await see("Uploading plate.bin: 46 %");
  await page.waitForFunction(() => {
    const list = document.querySelector(".outcomes");
    const row = [...list.children].find((one) => one.textContent.includes("plate.bin"));
    const [outer, inner] = [list, row].map((one) => one.getBoundingClientRect());
    return list.children.length === 61 && inner.top >= outer.top && inner.bottom <= outer.bottom;
  });
  const filled = await page.evaluate(() => document.querySelector(".status progress").value);
  expect(filled > 60.4 / 61 && filled < 60.5 / 61, `the bar shows ${filled}`);
  const piece = await heldAfter(cancelled);
  // The person turns to something else: the end of the upload leaves it there.
  await clickRow(page, "Model");
  await page.waitForFunction(() => document.querySelector(".object h2")?.textContent === "Model");
  await page.setOfflineMode(true);
  await piece.abort("internetdisconnected");
  hold = false;
  await page.waitForFunction(() => !navigator.onLine);
  await page.setOfflineMode(false);
  await see("61 files uploaded.");
  await quiet();
  expect(await page.$eval(".object h2", (one) => one.textContent) === "Model" && page.url().includes("object="),
    "the upload's end takes the selection");
  expect(begun === 1, `the upload was begun ${begun} times`);
  const notes = (await call("GET", `/projects/${id}/tree`)).tree.filter(({ name }) => name.startsWith("note-"));
  await call("POST", `/projects/${id}/objects/batch`,
    { operations: notes.map((one) => ({ op: "delete", id: one.id })) });
  await release();
  await page.reload();
  await rowOf(page, "plate.bin");

  // Folders without files become folders, beside those with files.
  mkdirSync(join(folder, "drawings/old/empty"), { recursive: true });
  mkdirSync(join(folder, "drawings/new"), { recursive: true });
  writeFileSync(join(folder, "drawings/note.txt"), "Spur gears\n");
  await dropOn(page, await page.$("[role=tree]"), [join(folder, "drawings")]);
  await rowOf(page, "drawings");
  await see("1 file uploaded.");
  const { tree } = await call("GET", `/projects/${id}/tree`);
  const pathOf = (node) => {
    const above = tree.find((one) => one.id === node.parent);
    return (above ? `${pathOf(above)}/` : "") + node.name;
  };
  const folders = tree.filter(({ type }) => type === "Folder").map(pathOf).sort();
  expect(folders.join() === "drawings,drawings/new,drawings/old,drawings/old/empty", `the folders are ${folders}`);
  mkdirSync(join(folder, "alone"));
  await dropOn(page, await page.$("[role=tree]"), [join(folder, "alone")]);
  await see("1 folder created.");
  await rowOf(page, "alone");
  await look("uploads-folders");
});
