// A team's sprint: created, filled by keys and by dragging, started, followed while others work, and completed.

import { HOSTILE, becomes, chooseDay, expect, given, run } from "./driver.mjs";
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
  await see("Complete a sprint to see the team's velocity");
  await page.goto(`${url}${team}/sprints`);
  await press("New sprint");
  // It is proposed with a name and days.
  const proposed = await page.$$eval("dialog [name]", (fields) => fields.map((field) => field.value));
  expect(proposed[0] === "Sprint 1" && proposed[2] && proposed[3] > proposed[2], `proposed is ${proposed}`);
  await look("sprint-new");
  await page.locator("#field-name").fill(HOSTILE);
  await page.locator("#field-description")
    .fill("The gearbox **turns**.\n\n- quietly\n- [cool](javascript:globalThis.broken=1)");
  await page.locator("dialog .primary").click();
  await see("The chart begins when the sprint starts.");
  await look("sprint-planned");

  await follow("Fill it from the backlog");
  await see("Not on the board yet");
  await look("backlog");
  await page.keyboard.press("?");
  await see("Put the selected cards into a sprint:");
  await page.keyboard.press("Escape");
  await page.waitForFunction(() => !document.querySelector("dialog"));
  await page.keyboard.press("j");
  const first = await page.evaluate(() => document.activeElement.textContent);
  await page.keyboard.press("Enter");
  await page.waitForFunction((name) => document.querySelector(".panel .card-name")?.value === name, {}, first);
  await page.goBack();
  await see("Not on the board yet");
  // Two by keys, one by dragging.
  for (const key of ["j", "x", "j", "x", "1"]) await page.keyboard.press(key);
  await page.waitForFunction(() => document.querySelectorAll(".sprint-own li").length === 2);
  expect(await page.$(".plan-row :checked") === null, "cards stay selected");
  const drag = async (from, to) => {
    const middle = async (selector) => {
      const { x, y, width, height } = await (await page.waitForSelector(selector)).boundingBox();
      return [x + width / 2, y + height / 2];
    };
    const [start, end] = [await middle(from), await middle(to)];
    await page.mouse.move(...start);
    await page.mouse.down();
    await page.mouse.move(start[0] + 8, start[1] + 4, { steps: 3 });
    await page.mouse.move(...end, { steps: 8 });
    await page.mouse.up();
  };
  await drag(".backlog-list .plan-card", ".sprint-place h2");
  await page.waitForFunction(() => document.querySelectorAll(".sprint-own li").length === 3);
  // One move is taken back, and made again.
  await page.keyboard.down("Control");
  await page.keyboard.press("z");
  await page.keyboard.up("Control");
  await page.waitForFunction(() => document.querySelectorAll(".sprint-own li").length === 2);
  await drag(".backlog-list .plan-card", ".sprint-place h2");
  await page.waitForFunction(() => document.querySelectorAll(".sprint-own li").length === 3);
  await look("backlog-filled");
  await page.reload();
  await page.waitForFunction(() => document.querySelectorAll(".sprint-own li").length === 3);

  await page.locator(".sprint-place h2 a").click();
  await press("Start sprint");
  await page.waitForSelector("dialog #field-endDate");
  expect(!(await page.$("dialog [name=concurrent]")), "a sprint is offered beside none");
  // A refusal names the field by its label, and the day as the page does.
  await chooseDay(page, "#field-startDate", "2026-03-09");
  await chooseDay(page, "#field-endDate", "2026-03-02");
  await page.locator("dialog .primary").click();
  await see("End must not be before Mar 9, 2026");
  await page.waitForSelector("#field-endDate:focus");
  await look("sprint-start-refused");
  const day = (offset) => new Date(Date.now() + offset * DAY_MS).toISOString().slice(0, 10);
  await chooseDay(page, "#field-startDate", day(-4));
  await chooseDay(page, "#field-endDate", day(5));
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
  await becomes("scope", () => value("scope_at_start"), "3");
  // Its cards stand below, with a new name that moves no day.
  const days = () => page.$eval(".sprint-facts", (facts) => facts.innerText);
  const before = await days();
  await press("Edit");
  await page.locator("#field-name").fill(`${HOSTILE} 2`);
  await page.locator("dialog .primary").click();
  await page.waitForFunction(() => document.querySelector("h1").textContent.endsWith("2"));
  expect(await days() === before, `the days moved from ${before} to ${await days()}`);
  expect((await page.$$(".plan-row")).length === 4, "the sprint doesn't list its cards");
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
  await see("Reopened. It stays in Done.");
  await page.locator("::-p-xpath(//*[contains(@class, 'toast')]//button[contains(., 'Move to')])").click();
  await page.locator("::-p-xpath(//*[@popover]//button[contains(., 'Doing')])").click();
  await page.waitForFunction((id) =>
    document.querySelectorAll("[data-column]")[1].querySelector(`[data-card="${id}"]`), {}, planned.id);
  await press("Mark as done");
  await page.waitForFunction((id) =>
    document.querySelectorAll("[data-column]")[2].querySelector(`[data-card="${id}"]`), {}, planned.id);
  await becomes("the done card is in", columnOf, "Done");
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
  const here = await days();
  await page.emulateTimezone("America/New_York");
  await page.reload();
  await see("Days are those of the team's time zone, UTC.");
  const elsewhere = await days();
  expect(elsewhere.startsWith(here), `${elsewhere} for ${here}`);
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
