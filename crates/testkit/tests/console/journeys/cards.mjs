// The table of a board's cards: sorted, filtered by its address, changed many at once, and scrolled with 2,000 rows.

import { becomes, expect, expected, given, intercept, run } from "./driver.mjs";

const [link, team] = given;
const url = new URL(link).origin;

run(async ({ page, see, press, look, path }) => {
  const ctrl = async (key) => {
    await page.keyboard.down("Control");
    await page.keyboard.press(key);
    await page.keyboard.up("Control");
  };
  await page.goto(link);
  await see("Projects");
  await page.goto(`${url}${team}/cards`);
  await see("40 cards");
  await look("cards");
  const names = (count) => page.$$eval(".grid-rows .grid-row .name",
    (cells, most) => cells.slice(0, most).map((one) => one.textContent), count);
  await page.locator("[data-sort=name]").click();
  await becomes("the second by name", async () => (await names(2))[1], "Card 3");
  await page.locator("[data-sort=name]").click();
  await becomes("the second by name, backwards", async () => (await names(2))[1].slice(0, 3), "WWW");
  await page.locator("[type=search]").fill("card 1");
  await see("10 of 40 cards");
  await page.reload();
  await see("10 of 40 cards");
  await becomes("the first after the reload", async () => (await names(1))[0], "Card 19");
  const choose = (name) => page.locator(`::-p-xpath(//*[@popover]//button[contains(., "${name}")])`).click();
  await press("Filter");
  await choose("Done");
  await see("No cards match these filters.");
  await look("cards-none");
  await press("Clear filters");
  await see("40 cards");

  // Keys go through the rows before anybody has clicked one.
  await page.evaluate(() => document.activeElement.blur());
  await page.keyboard.press("?");
  await see("Select a range");
  await page.keyboard.press("Escape");
  await page.waitForFunction(() => !document.querySelector("dialog"));
  for (const key of ["j", "j", "k", "j"]) await page.keyboard.press(key);
  const [second] = await page.$$eval(".grid-row[data-active] .name", (cells) => cells.map((one) => one.textContent));
  expect(second === (await names(2))[1], `j and k lead to ${second}`);
  await page.keyboard.press("Enter");
  await page.waitForFunction((name) => document.querySelector("#field-card-name")?.value === name, {}, second);
  // The card opens beside the table, which stays where it is.
  expect(path() === `${team}/cards`, `Enter opened ${path()}`);
  await look("cards-panel");
  await page.goBack();
  await page.waitForFunction(() => document.querySelector(".panel").hidden);
  await see("40 cards");

  // Four cards by keys; the column takes two of them.
  expected.push("409");
  await page.focus(".grid");
  for (const key of ["Home", "j", "x"]) await page.keyboard.press(key);
  await page.keyboard.down("Shift");
  for (let step = 0; step < 3; step += 1) await page.keyboard.press("ArrowDown");
  await page.keyboard.up("Shift");
  await see("4 selected");
  const beyond = await page.$eval(".bulk-bar", (bar) => bar.scrollWidth - bar.clientWidth);
  expect(beyond <= 0, `the bar is ${beyond} pixels too narrow`);
  await look("cards-selected");
  for (const width of [1024, 390]) {
    await page.setViewport({ width, height: 800 });
    const outer = await page.$eval(".bulk-bar", (bar) => bar.getBoundingClientRect().right);
    expect(outer <= width, `at ${width} pixels the bar ends at ${outer}`);
  }
  await page.setViewport({ width: 1400, height: 900 });
  const bulk = async (menu, entry) => {
    await press(menu);
    await choose(entry);
  };
  await press("Move to…");
  await page.locator(".menu:popover-open li:last-child button").click();
  await see("2 were refused");
  await page.waitForFunction(() => document.querySelectorAll(".wrong").length === 2);
  await look("cards-refused");
  await bulk("Assign…", "Alice");
  await see("4 cards changed.");
  await page.waitForFunction(() => document.querySelectorAll(".grid-rows .mark").length === 4);
  await bulk("Tag…", "Urgent");
  await page.waitForFunction(() => document.querySelectorAll(".grid-rows .tag").length === 4);
  const begun = await page.$$eval(".grid-rows .done", (rows) => rows.length);
  await press("Mark as done");
  const usable = () => page.waitForFunction(() => !document.querySelector(".bulk-bar .button:disabled"));
  const done = (count) => page.waitForFunction((wanted) =>
    document.querySelectorAll(".grid-rows .done").length === wanted, {}, count);
  await done(4);
  await usable();
  // It can be undone, and done again.
  await page.locator(".toast .button.small:not(.plain)").click();
  await done(begun);
  await usable();
  await press("Mark as done");
  await done(4);
  await usable();
  await page.reload();
  await see("40 cards");
  await page.waitForFunction(() => document.querySelectorAll(".grid-rows .done").length === 4);
  await becomes("the tags are lost", () => page.$$eval(".grid-rows .tag", (tags) => tags.length), 4);

  // A filter takes what it hides out of the selection; the box of the head selects what is shown.
  const barHidden = () => page.$eval(".bulk-bar", (bar) => bar.hidden);
  await page.focus(".grid");
  for (const key of ["Home", "x", "j", "x", "j", "x"]) await page.keyboard.press(key);
  await see("3 selected");
  await page.locator("[type=search]").fill("card 5");
  await see("1 of 40 cards");
  expect(await barHidden(), "cards that the filter hides stay selected");
  await page.locator("[type=search]").fill("card 2");
  await see("10 of 40 cards");
  await page.locator("[aria-label='Select all']").click();
  await see("10 selected");
  await look("cards-all");
  await bulk("Assign…", "Alice");
  await see("10 cards changed.");
  await page.waitForFunction(() => document.querySelectorAll(".grid-rows .mark").length === 10);
  await bulk("Assign…", "Nobody");
  await page.waitForFunction(() => document.querySelectorAll(".grid-rows .mark").length === 0);
  await page.waitForFunction(() => !document.querySelector(".bulk-bar .button:disabled"));

  // Cards go: one off the board, one for good.
  await press("Clear the selection");
  const someOf = async (name, count) => {
    await page.locator("[type=search]").fill(name);
    await see(`${count} of`);
    await page.locator("[aria-label='Select all']").click();
    await see(`${count} selected`);
  };
  await someOf("card 28", 1);
  await bulk("Remove…", "Take off the board");
  await see("0 of 39 cards");
  await someOf("card 29", 1);
  // What is deleted can be taken back, until it is sent.
  await bulk("Remove…", "Delete cards");
  await see("0 of 38 cards");
  await look("cards-delete");
  await page.evaluate(() => document.activeElement.blur());
  await ctrl("z");
  await see("1 of 39 cards");
  await page.locator("[aria-label='Select all']").click();
  await bulk("Remove…", "Delete cards");
  await see("0 of 38 cards");
  await press("Clear filters");
  await see("38 cards");
  await page.focus(".grid");
  await page.keyboard.press("Home");
  await page.keyboard.press("Enter");
  await page.waitForSelector("#field-card-name");
  await page.keyboard.press("Escape");
  await page.waitForFunction(() => document.querySelector(".panel").hidden);

  // Cells are edited in place, and that is undone.
  const first = () => page.$eval(".grid-rows .grid-row", (row) =>
    [...row.querySelectorAll("[data-field]")].map((cell) => cell.textContent).join("|"));
  await page.goto(`${url}${team}/cards`);
  await see("38 cards");
  await page.focus(".grid");
  await page.keyboard.press("Home");
  await page.keyboard.press("e");
  await page.waitForSelector(".cell-input:focus");
  await page.keyboard.type("Renamed in its cell");
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => document.querySelector(".grid-rows .name").textContent === "Renamed in its cell");
  await page.locator(".grid-rows .grid-row:first-child .cell-effort").click();
  await page.waitForSelector(".cell-input:focus");
  await page.keyboard.type("8");
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => document.querySelector(".grid-rows .cell-effort").textContent === "8");
  await ctrl("z");
  await page.waitForFunction(() => document.querySelector(".grid-rows .cell-effort").textContent !== "8");
  expect((await first()).includes("|Renamed in its cell|"), `the row is ${await first()}`);

  // Groups, chosen columns, and a row that is added.
  await press("Display");
  await choose("Group by column");
  await page.waitForSelector(".grid-group");
  await choose("Show project");
  await page.waitForFunction(() => !document.querySelector("[data-sort=project]"));
  await page.keyboard.press("Escape");
  await look("cards-groups");
  await page.reload();
  await page.waitForSelector(".grid-group");
  expect(!(await page.$("[data-sort=project]")), "a hidden column is back after a reload");
  await press("Add a card");
  await page.locator(".grid-add input").fill("Added in the table");
  await page.keyboard.press("Enter");
  await see("39 cards");

  // A board of 2,000 cards, as if it had them.
  await intercept(page, async (request) => {
    if (!request.url().endsWith("/board")) return;
    const answer = await fetch(request.url(), { headers: { authorization: request.headers().authorization } });
    const { board } = await answer.json();
    const some = board.columns[0].cards;
    board.columns[0].cards = Array.from({ length: 2000 }, (_, at) => ({ ...some[at % some.length],
      id: `${some[0].id.slice(0, -4)}${String(at).padStart(4, "0")}`, name: `Gear ${at}` }));
    await request.respond({ status: 200, contentType: "application/json", body: JSON.stringify({ board }) });
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
