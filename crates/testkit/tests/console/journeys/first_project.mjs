// A person without a project: names what they build, drops a file, and has a card on a board by one click.

import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { becomes, expect, given, run } from "./driver.mjs";
import { callerOf } from "./service.mjs";

const [link] = given;

run(async ({ page, see, press, look, path }) => {
  const start = Date.now();
  await page.goto(link);
  await see("What do you want to build?");
  await look("begin");
  const file = join(mkdtempSync(join(tmpdir(), "console-")), "gear.txt");
  writeFileSync(file, "Module 2, 20 teeth\n".repeat(20));
  await (await page.$("input[type=file]")).uploadFile(file);
  await see("gear.txt");
  await becomes("the file names no project", () => page.$eval("#field-name", (field) => field.value), "gear");
  await page.locator("#field-name").fill("Gearbox");
  await press("Create project");
  await see("1 uncommitted change");
  await see("Create a board with three columns");
  await look("first-steps");
  await press("Create a board with three columns");
  // The project is in the person's own workspace from the beginning: it need not move.
  await page.waitForSelector("[data-column] [data-card]");
  expect(/^\/orgs\/.*\/teams\//.test(path()), `the board is not shown: ${path()}`);
  await becomes("the board has other columns", () => page.$$eval("[data-column]", (columns) => columns.length), 3);
  const { organizations } = await callerOf(page)("GET", "/orgs");
  expect(organizations.map(({ name }) => name).join() === "dora's workspace", "the project is in no workspace");
  expect(Date.now() - start < 60_000, "the first minute is over");
  await look("first-board");
  expect(await page.$$eval(".steps li", (steps) => steps.every((step) => step.className === "done")),
    "the steps are not done");
  // There is nothing left to do: the next page has no strip.
  await page.reload();
  await page.waitForSelector("[data-card]");
  expect(await page.$(".steps") === null, "the strip comes back");
});
