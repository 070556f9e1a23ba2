// Two people and an agent: one prompts, approves, denies and stops; the other watches. What the model says runs
// nothing.

import { HOSTILE, becomes, expect, expected, given, run } from "./driver.mjs";
import { callerOf } from "./service.mjs";

const [link, others, project] = given;
const url = new URL(link).origin;

run(async ({ page, see, press, look, path }, person) => {
  await page.goto(link);
  await see("Projects");
  await page.goto(`${url}/projects/${project}/sessions`);
  await see("No sessions with a task yet.");
  await look("sessions-empty");
  await press("Open a session");
  await page.waitForSelector("#field-prompt");
  await look("session-new");
  await page.locator("#field-prompt").fill(`Greet us, ${HOSTILE}`);
  await page.locator("#field-budget").fill("many");
  await page.locator("dialog .primary").click();
  expected.push("400");
  await page.waitForFunction(() => document.querySelector("dialog .failure")?.textContent.includes("credits"));
  expect(await page.$eval("#field-prompt", (input) => input.value.startsWith("Greet us")),
    "the refused prompt is lost");
  await page.locator("#field-budget").fill("5");
  await page.locator("dialog .primary").click();

  await page.waitForSelector(".said.user");
  const session = path();
  // A viewer may not see costs.
  expected.push("403");
  const bob = await person();
  await bob.page.goto(others);
  await bob.see("Projects");
  await bob.page.goto(url + session);
  await bob.see("That is all of it.");
  await bob.see("Budget: 5 credits");
  await see("That is all of it.");
  await page.waitForFunction(() => document.querySelector(".session-head .state")?.textContent === "Done");
  await page.waitForFunction(() => document.querySelector(".cost")?.textContent.includes("of 5 credits"));
  const hrefs = await page.$$eval(".prose a", (links) => links.map((one) => one.href));
  expect(hrefs.join() === "https://example.com/manual", `links of the model: ${hrefs}`);
  expect(await page.$$eval(".prose img, .prose script, .prose b", (found) => found.length) === 0,
    "markup of the model");
  await look("session");
  await bob.look("session-watched");

  // A run's last words are there before its end; until then Enter sends nothing.
  const say = async (words) => {
    await page.waitForSelector(".composer .primary:not([hidden])");
    await page.focus(".composer textarea");
    await page.keyboard.type(words);
    await page.keyboard.press("Enter");
  };
  // The other one sees the next answer grow.
  await bob.page.evaluate(() => {
    globalThis.lengths = new Set();
    new MutationObserver(() => {
      const writing = document.querySelector("[aria-busy=true] .prose");
      if (writing?.textContent) globalThis.lengths.add(writing.textContent.length);
    }).observe(document.body, { childList: true, subtree: true });
  });
  await say("Make a shaft.");
  await see("I made the shaft and a card for it.");
  await page.waitForFunction(() => document.querySelectorAll(".tool[data-state=done]").length === 2);
  await page.waitForFunction(() => document.querySelectorAll(".tool[data-state=failed]").length === 1);
  await see("1 object added");
  await page.locator(".tool summary").click();
  await page.waitForFunction(() => document.querySelector(".tool[open]")?.innerText.includes("project__create_object"));
  await look("session-tools");
  await bob.see("I made the shaft and a card for it.");
  await bob.page.waitForFunction(() => !document.querySelector("[aria-busy=true]"));
  expect(await bob.page.evaluate(() => globalThis.lengths.size) > 1, "the answer came at once");

  // A deletion is asked about; the keys answer where nobody types. The card is looked up by its id, and isn't there.
  expected.push("404");
  await say("Delete the old card.");
  await see("The agent asks for your approval");
  await bob.see("The agent asks for your approval");
  await bob.look("session-approval-watched");
  await page.waitForFunction(() => document.querySelector(".session-head .state")?.textContent === "Waiting for you");
  await look("session-approval");
  await page.focus(".approval");
  await page.keyboard.press("n");
  await see("Then I leave it.");
  await page.waitForFunction(() => !document.querySelector(".approval"));
  await bob.page.waitForFunction(() => !document.querySelector(".approval"));

  // A draft survives a reload; a run is stopped.
  await page.focus(".composer textarea");
  await page.keyboard.type("Think");
  await page.reload();
  await page.waitForSelector(".composer textarea");
  await becomes("the draft is lost", () => page.$eval(".composer textarea", (input) => input.value), "Think");
  await page.focus(".composer textarea");
  await page.keyboard.press("End");
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => document.querySelector(".talk").innerText.includes("I think about"));
  await press("Stop");
  await see("The run was stopped.");
  await say("And again");
  await see("The run failed:");
  await look("session-failed");

  // The list tells what each session is about.
  await page.locator(".crumbs a[href$=sessions]").click();
  await page.waitForFunction(() => document.querySelector("h1")?.textContent === "Sessions");
  await see("Greet us");
  await see("of 5 credits");
  await look("sessions");

  // A session that an upload opens is left out, until it is asked for.
  await callerOf(page)("POST", `/projects/${project}/sessions`, {});
  await see("1 more session has no task");
  expect(!(await page.evaluate(() => document.body.innerText)).includes("No task yet"),
    "a session without a task is listed");
  await page.locator("a[href$='?all=']").click();
  await see("No task yet");
  await look("sessions-all");
  await page.goBack();
  await see("1 more session has no task");

  // A session whose budget is below what a call may cost says so, before one is made.
  await press("Open a session");
  await page.locator("#field-prompt").fill("Speak.");
  await page.locator("#field-budget").fill("0.000001");
  await page.locator("dialog .primary").click();
  await see("The next call of the model may cost");
  await see("budget of this session is used up");
  await look("session-exhausted");
  await press("Close session");
  await page.locator("dialog .primary").click();
  await see("This session is closed.");
  await page.goto(`${url}/projects/${project}/usage?by=card`);
  await see("Turn the shaft");
  await see("No card");
  await look("usage-cards");
  await page.goto(`${url}/projects/${project}/sessions/${project}`);
  expected.push("404");
  await see("This doesn't exist, or you don't have access.");
});
