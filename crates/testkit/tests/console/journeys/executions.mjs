// A person without a model opens a session, runs code, follows its output, mends it, and stops it.

import { HOSTILE, expect, expected, given, run, writeCode } from "./driver.mjs";

const [link, project] = given;
const url = new URL(link).origin;

run(async ({ page, see, press, look, path }) => {
  await page.goto(link);
  await see("Projects");
  await page.goto(`${url}/projects/${project}/sessions`);
  await see("Agents aren't set up here.");
  expect(!(await page.evaluate(() => document.body.innerText)).includes("ATELIER_"),
    "everybody reads the operator's variables");
  await look("sessions-no-model");
  await press("Run code");
  await see("Nothing has run in this session yet.");
  await page.locator("[name=name]").fill(HOSTILE);
  await writeCode(page, "console.log('<b>20</b> teeth of', atelier.input.name); throw new Error('no oil')");
  await page.locator("[name=input]").fill("nonsense");
  await press("Run");
  await see("The input isn't a JSON object.");
  await page.reload();
  await page.waitForSelector(".code-editor:not([hidden])");
  expect(await page.$eval("[name=code]", (box) => box.value.includes("no oil")), "the typed code is lost");
  await page.locator("[name=name]").fill(HOSTILE);
  await page.locator("[name=input]").fill('{"name": "the gear"}');
  await press("Run");
  await see("<b>20</b> teeth of the gear");
  await see("no oil");
  await see("Failed");
  await look("execution-failed");

  // It is mended in its object, and runs until it is stopped; its output comes before its end.
  await writeCode(page, "console.log('turning'); for (;;) {}");
  await press("Run");
  await page.waitForFunction(() => document.querySelector(".output").textContent.includes("turning"));
  await see("Running");
  await press("Stop");
  await see("Stopped");
  await page.waitForFunction(() => document.querySelectorAll(".execution-row").length === 2);
  await look("execution-stopped");
  await page.locator("li:last-child .execution-row").click();
  await page.waitForFunction(() => document.querySelector(".output").textContent.includes("teeth of the gear"));
  const address = page.url();
  await page.goto(url + path().replace("/executions", ""));
  await see("so nobody answers");
  await look("session-no-model");
  await page.goto(address);
  await see("teeth of the gear");
  expect(expected.length === 0, "no refusal was expected");
});
