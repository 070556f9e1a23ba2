// The table of a board's cards: sorted, filtered by its address, changed many at once, and scrolled with 2,000 rows.

import { expect, expected, given, run } from "./driver.mjs";

const [link, team, , alice] = given;
const url = new URL(link).origin;

run(async ({ page, see, press, look, path }) => {
  await page.goto(link);
  await see("Projects");
  await page.goto(`${url}${team}/cards`);
  await see("40 cards");
  await look("cards");
  const names = (count) => page.$$eval(".grid-rows .grid-row .name", (cells, most) => cells.slice(0, most).map((one) => one.textContent), count);
  await page.locator("[data-sort=name]").click();
  expect((await names(2))[1] === "Card 3", `sorted by name: ${await names(3)}`);
  await page.locator("[data-sort=name]").click();
  expect((await names(1))[0].startsWith("WWW"), `sorted by name, backwards: ${await names(3)}`);
  await page.locator("[type=search]").fill("card 1");
  await see("10 of 40 cards");
  await page.reload();
  await see("10 of 40 cards");
  expect((await names(1))[0] === "Card 19", `after the reload: ${await names(3)}`);
  await page.locator("[name=state]").click();
  await page.select("[name=state]", "closed");
  await see("No card matches these filters.");
  await look("cards-none");
  await press("Clear filters");
  await see("40 cards");

  // Four cards by keys; the column takes two of them.
  expected.push("409");
  await page.focus(".grid");
  for (const key of ["Home", "j", "x"]) await page.keyboard.press(key);
  await page.keyboard.down("Shift");
  for (let step = 0; step < 3; step += 1) await page.keyboard.press("ArrowDown");
  await page.keyboard.up("Shift");
  await see("4 selected");
  await look("cards-selected");
  await page.select(".bulk-bar select[aria-label='Move to…']", await page.$eval(".bulk-bar select option:last-child", (one) => one.value));
  await see("2 were refused");
  await page.waitForFunction(() => document.querySelectorAll(".wrong").length === 2);
  await look("cards-refused");
  await page.select(".bulk-bar select[aria-label='Assign…']", alice);
  await see("4 cards changed.");
  await page.waitForFunction(() => document.querySelectorAll(".grid-rows .mark").length === 4);
  await page.select(".bulk-bar select[aria-label='Tag…']", "Urgent");
  await page.waitForFunction(() => document.querySelectorAll(".grid-rows .tag").length === 4);
  await press("Close cards");
  await page.waitForFunction(() => document.querySelectorAll(".grid-rows .done").length === 4);
  await page.waitForFunction(() => !document.querySelector(".bulk-bar .button:disabled"));
  await page.reload();
  await see("40 cards");
  await page.waitForFunction(() => document.querySelectorAll(".grid-rows .done").length === 4);
  expect(await page.$$eval(".grid-rows .tag", (tags) => tags.length) === 4, "the tags are lost");
  await page.focus(".grid");
  await page.keyboard.press("Home");
  await page.keyboard.press("Enter");
  await page.waitForSelector("#field-card-name");
  expect(path() === team, `Enter opened ${path()}`);

  // A board of 2,000 cards, as if it had them.
  await page.setRequestInterception(true);
  page.on("request", async (request) => {
    if (!request.url().endsWith("/board")) return request.continue();
    const answer = await fetch(request.url(), { headers: { authorization: request.headers().authorization } });
    const { board } = await answer.json();
    const some = board.columns[0].cards;
    board.columns[0].cards = Array.from({ length: 2000 }, (_, at) => ({ ...some[at % some.length],
      id: `${some[0].id.slice(0, -4)}${String(at).padStart(4, "0")}`, name: `Gear ${at}` }));
    return request.respond({ status: 200, contentType: "application/json", body: JSON.stringify({ board }) });
  });
  await page.goto(`${url}${team}/cards`);
  await see("2,0");
  const [scrolled, rows] = await page.evaluate(async () => {
    const grid = document.querySelector(".grid");
    for (let step = 0; step < 120; step += 1) {
      grid.scrollTop += 540;
      await new Promise((done) => requestAnimationFrame(done));
    }
    return [grid.scrollTop, document.querySelectorAll(".grid-row").length];
  });
  expect(scrolled > 60_000, `scrolled to ${scrolled} alone`);
  expect(rows < 100, `${rows} rows are in the page`);
  await see("Gear 191");
});
