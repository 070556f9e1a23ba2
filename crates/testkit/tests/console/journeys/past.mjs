// A person looks at a board as it was an hour and a half ago: chosen by a day and a time, opened card by card, and left
// for now. Since then a card was renamed and moved, and another one deleted.

import { becomes, expect, expected, given, run } from "./driver.mjs";
import { callerOf, signIn } from "./service.mjs";

const [link, team, project] = given;
const url = new URL(link).origin;
const HOUR_MS = 3_600_000;

run(async ({ page, see, press, look, path }) => {
  await signIn(page, link);
  const call = callerOf(page);
  const { project: { key } } = await call("GET", `/projects/${project}`);
  const gearbox = (await call("GET", `/projects/${project}/cards/${key}-1`)).card.id;
  const board = () => page.$$eval("[data-column]", (columns) => columns.map((column) => {
    const names = [...column.querySelectorAll("[data-card] .name")].map((one) => one.textContent);
    return `${column.querySelector("h2").textContent}: ${names.join(", ")}`.trim();
  }).join("; "));
  const now = "To do: Order the hob; Doing:; Done: Test the gearbox";
  const then = "To do: Build the gearbox, Order the hob, Deburr; Doing:; Done:";
  /** Asks for a moment in the zone of the browser. */
  const asOf = async (moment) => {
    await page.waitForSelector("#field-moment");
    await page.locator("#field-moment").fill(moment);
    await page.locator("dialog .primary").click();
    await page.waitForFunction(() => !document.querySelector("dialog"));
    await page.waitForSelector(".past-banner");
  };
  const buttons = () => page.$$eval(".past-page button, .past-page input", (all) =>
    all.map((one) => one.innerText.trim()).join("|"));

  await page.goto(`${url}${team}`);
  await becomes("the board", board, now);
  await press("As of…");
  await page.waitForSelector("#field-moment");
  await look("past-moment");
  await asOf(await page.evaluate((back) => {
    const time = new Date(Date.now() - back);
    return new Date(time.getTime() - time.getTimezoneOffset() * 60_000).toISOString().slice(0, 19);
  }, 1.5 * HOUR_MS));
  await becomes("the board of then", board, then);
  await see("Nothing can be changed here.");
  expect(await buttons() === "Another time|Back to now", `the past offers ${await buttons()}`);
  const { searchParams } = new URL(page.url());
  expect(!Number.isNaN(Date.parse(searchParams.get("at"))), `the address has the moment ${searchParams.get("at")}`);
  await look("past-board");
  await page.reload();
  await becomes("the board of then after a reload", board, then);

  // A card that was deleted since opens as it was, and so does one that has another name now.
  await page.locator("::-p-xpath(//a[@data-card][contains(., 'Deburr')])").click();
  await page.waitForFunction(() => document.querySelector("[data-past]")?.innerText.includes("Deburr"));
  await page.goBack();
  await becomes("the board of then after the way back", board, then);
  await page.locator(`a[data-card="${gearbox}"]`).click();
  await page.waitForSelector(`[data-past="${gearbox}"]`);
  expect(path() === `/projects/${project}/cards/${gearbox}`, `the card of then is at ${path()}`);
  const said = () => page.$eval("[data-past]", (one) => one.innerText);
  expect((await said()).includes("Build the gearbox") && (await said()).includes("To do"), await said());
  expect(await page.$("[data-past] :is(button, input, textarea)") === null, "the card of then can be changed");
  await look("past-card");

  // Now is one press away, and each line of the activity leads back to its own moment.
  await press("Back to now");
  await page.waitForSelector(`[data-panel="${gearbox}"]`);
  await becomes("the name of now", () => page.$eval("#field-card-name", (input) => input.value), "Test the gearbox");
  await page.locator("::-p-xpath(//li[contains(@class, 'event')][contains(., 'renamed this')]//a)").click();
  await page.waitForSelector(`[data-past="${gearbox}"]`);
  await see("Test the gearbox");
  expect((await said()).includes("To do"), `after its rename the card stands elsewhere: ${await said()}`);

  // A moment to come is refused in words, with the ways out of it.
  await page.goto(`${url}${team}`);
  await becomes("the board again", board, now);
  await press("As of…");
  expected.push("422");
  await asOf("2999-12-31T12:00:01");
  await see("The moment is in the future.");
  await look("past-refused");
  await press("Another time");
  await page.waitForSelector("#field-moment");
  await becomes("the moment that was asked for", () => page.$eval("#field-moment", (input) => input.value),
    "2999-12-31T12:00:01");
  await page.keyboard.press("Escape");
  await page.waitForFunction(() => !document.querySelector("dialog"));
  await press("Back to now");
  await becomes("the board of now", board, now);
  expect(!page.url().includes("at="), `the address keeps a moment: ${page.url()}`);
});
