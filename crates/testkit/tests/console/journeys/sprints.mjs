// A team's sprint: created, filled by keys and by dragging, started, followed while others work, and completed.

import { HOSTILE, expect, expected, given, run } from "./driver.mjs";
import { callerOf } from "./service.mjs";

const [link, team, , done] = given;
const url = new URL(link).origin;
const DAY_MS = 86_400_000;

run(async ({ page, see, press, follow, look }) => {
  await page.goto(link);
  await see("Projects");
  await page.goto(`${url}${team}/sprints`);
  await see("No sprint yet.");
  await look("sprints-empty");
  await page.goto(`${url}${team}/reports`);
  await see("Velocity is told by completed sprints.");
  await page.goto(`${url}${team}/sprints`);
  await press("New sprint");
  await page.locator("#field-name").fill(HOSTILE);
  await page.locator("#field-goal")
    .fill("The gearbox **turns**.\n\n- quietly\n- [cool](javascript:globalThis.broken=1)");
  await page.locator("dialog .primary").click();
  await see("The chart begins when the sprint starts.");
  await look("sprint-planned");

  await follow("Fill it from the backlog");
  await see("Not on the board yet");
  await look("backlog");
  await page.keyboard.press("?");
  await see("Put the selected cards into a sprint");
  await page.keyboard.press("Escape");
  await page.waitForFunction(() => !document.querySelector("dialog"));
  await page.keyboard.press("j");
  const first = await page.evaluate(() => document.activeElement.textContent);
  await page.keyboard.press("Enter");
  await page.waitForFunction((name) => document.querySelector(".panel .card-name")?.value === name, {}, first);
  await page.goBack();
  await see("Not on the board yet");
  // Two by keys, one by dragging.
  const inSprint = () => page.$$eval(".sprint-own li", (rows) => rows.length);
  for (const key of ["j", "x", "j", "x", "1"]) await page.keyboard.press(key);
  expect(await inSprint() === 2, `${await inSprint()} cards are in the sprint at once`);
  await page.waitForFunction(() => !document.querySelector(".backlog-row :checked"));
  await page.evaluate(() => {
    const dataTransfer = new DataTransfer();
    const drag = (selector, type) => document.querySelector(selector)
      .dispatchEvent(new DragEvent(type, { bubbles: true, cancelable: true, dataTransfer }));
    drag(".backlog-row .backlog-card", "dragstart");
    drag(".sprint-place h2", "dragover");
    drag(".sprint-place h2", "drop");
  });
  await page.waitForFunction(() => document.querySelectorAll(".sprint-own li").length === 3);
  await look("backlog-filled");
  await page.reload();
  await page.waitForFunction(() => document.querySelectorAll(".sprint-own li").length === 3);

  await page.locator(".sprint-place h2 a").click();
  await press("Start sprint");
  await page.waitForSelector("dialog #field-end");
  expect(!(await page.$("dialog [name=concurrent]")), "a sprint is offered beside none");
  // A refusal names the field by its label, and the day as the page does.
  expected.push("400");
  await page.$eval("#field-start", (field) => { field.value = "2026-03-09"; });
  await page.$eval("#field-end", (field) => { field.value = "2026-03-02"; });
  await page.locator("dialog .primary").click();
  await see("End must not be before Mar 9, 2026");
  expect(await page.evaluate(() => document.activeElement.id === "field-end"), "the refused field has no focus");
  await look("sprint-start-refused");
  const input = (offset) => {
    const at = new Date(Date.now() + offset * DAY_MS);
    return `${at.getFullYear()}-${String(at.getMonth() + 1).padStart(2, "0")}-${String(at.getDate()).padStart(2, "0")}`;
  };
  await page.$eval("#field-start", (field, value) => { field.value = value; }, input(-4));
  await page.$eval("#field-end", (field, value) => { field.value = value; }, input(5));
  await page.locator("dialog .primary").click();
  await page.waitForSelector(".chart");
  const call = callerOf(page);
  // Others finish a card: the numbers follow by themselves.
  const { board } = await call("GET", `${team}/board`);
  const planned = board.columns[0].cards.find((card) => card.sprint_id);
  await call("PUT", `${team}/cards/${planned.id}`, { statusId: done });
  const value = (part) => page.$eval(`[data-part="${part}"] .tally-value`, (one) => one.textContent);
  await page.locator("[data-choice=cards]").click();
  await page.waitForFunction(() => document.querySelector("[data-part=done] .tally-value").textContent === "1");
  // A card that comes later is added scope.
  const free = board.columns[0].cards.find((card) => !card.sprint_id);
  if (free) await call("PUT", `${team}/cards/${free.id}`, { sprintId: planned.sprint_id });
  else await call("PUT", `${team}/cards/${(await call("GET", `${team}/available-cards`)).cards[0].id}`,
    { sprintId: planned.sprint_id });
  await page.waitForFunction(() => document.querySelector("[data-part=added] .tally-value").textContent === "1");
  expect(await value("scope_at_start") === "3", `scope: ${await value("scope_at_start")}`);
  await page.locator("[data-part=done]").click();
  await page.waitForSelector(".sprint-cards .row");
  expect(page.url().includes("list=done"), "an open list has no address");
  await page.locator(".burndown summary").click();
  await look("sprint");
  await page.locator("[data-choice=up]").click();
  await see("Burn-up");
  await look("sprint-burnup");

  // The panel names the sprint; a card that is done goes to the column for done cards.
  await page.goto(`${url}${team}?card=${planned.id}`);
  await page.waitForSelector("[data-panel]");
  await page.waitForFunction((name) =>
    document.querySelector(".activity").innerText.includes(`put this into ${name.slice(0, 20)}`), {}, HOSTILE);
  await page.locator("[aria-label^='Sprint: <img']").click();
  await look("sprint-card");
  await page.keyboard.press("Escape");
  // In one step: a card is drawn again while it moves.
  const columnOf = () => page.evaluate((id) =>
    document.querySelector(`[data-card="${id}"]`).closest("[data-column]").querySelector("h2").textContent, planned.id);
  await press("Reopen");
  await see("It is open again, and stays in Done.");
  await page.locator("::-p-xpath(//*[contains(@class, 'toast')]//button[contains(., 'Move to')])").click();
  await page.locator("::-p-xpath(//*[@popover]//button[contains(., 'Doing')])").click();
  await page.waitForFunction((id) =>
    document.querySelectorAll("[data-column]")[1].querySelector(`[data-card="${id}"]`), {}, planned.id);
  await press("Mark as done");
  await page.waitForFunction((id) =>
    document.querySelectorAll("[data-column]")[2].querySelector(`[data-card="${id}"]`), {}, planned.id);
  expect(await columnOf() === "Done", `the done card is in ${await columnOf()}`);
  await page.goto(`${url}${team}/sprints/${planned.sprint_id}`);
  await see("Today");

  await press("Complete sprint");
  await see("3 cards are open.");
  await look("sprint-complete");
  await page.locator("dialog .primary").click();
  await page.waitForFunction(() => document.querySelector(".sprint-facts .state").textContent === "Completed");
  const offered = await page.evaluate(() => document.querySelector("main").innerText);
  expect(!offered.includes("Fill it from the backlog") && !offered.includes("Today"), "a completed sprint goes on");
  // Elsewhere in the world the days of the sprint are the same.
  const days = await page.evaluate(() => document.querySelector(".sprint-facts").innerText);
  await page.emulateTimezone("America/New_York");
  await page.reload();
  await see("Days are those of the team's time zone, UTC.");
  const elsewhere = await page.evaluate(() => document.querySelector(".sprint-facts").innerText);
  expect(elsewhere.startsWith(days), `${elsewhere} for ${days}`);
  await see("Days of the chart are those of UTC.");
  await look("sprint-elsewhere");
  await page.emulateTimezone();
  await page.goto(`${url}${team}/reports`);
  await see("On average");
  await look("reports");
  await page.goto(`${url}${team}/sprints`);
  await see("Completed");
  await look("sprints");
});
