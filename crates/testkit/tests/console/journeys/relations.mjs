// A person orders the work on a board: priority, type, start, parent, blockers, a checklist, and keys that find it all.

import { becomes, choose, chooseDay, expect, expected, given, run } from "./driver.mjs";
import { callerOf, signIn } from "./service.mjs";

const [link, team, project] = given;
const url = new URL(link).origin;

run(async ({ page, see, press, look, path }, person) => {
  await signIn(page, link);
  const call = callerOf(page);
  const { project: { key } } = await call("GET", `/projects/${project}`);
  const card = async (at) => (await call("GET", `/projects/${project}/cards/${key}-${at}`)).card.id;
  const [gearbox, hob] = [await card(1), await card(2)];
  const has = (id, name) => page.waitForSelector(`[data-card="${id}"] [aria-label="${name}"]`);
  const lines = () => page.$$eval(".line-text", (all) => all.map((one) => one.textContent).join());
  const ctrlZ = async () => {
    await page.evaluate(() => document.activeElement.blur());
    await page.keyboard.down("Control");
    await page.keyboard.press("z");
    await page.keyboard.up("Control");
  };

  // A card is made, and opens at its key.
  await page.goto(`${url}${team}`);
  await page.waitForSelector(`[data-card="${hob}"]`);
  await page.locator("[data-column]:first-child .add .button").click();
  await page.waitForSelector(".add input:focus");
  await page.keyboard.type("Cut the teeth");
  await page.keyboard.press("Enter");
  await see(`${key}-3`);
  await page.keyboard.press("Escape");
  const cut = await card(3);
  await page.locator(`[data-card="${cut}"]`).click();
  await page.waitForSelector(`[data-panel="${cut}"]`);
  await becomes("the card's address", () => new URL(page.url()).search, `?card=${key}-3`);

  // Priority, type and start; the board shows what says something.
  await choose(page, "[aria-label='Priority: No priority']", "Urgent");
  await has(cut, "Priority: Urgent");
  await page.locator("[aria-label='Type: Task']").click();
  await page.waitForSelector(".menu:popover-open input");
  await page.keyboard.type("Rework");
  await page.keyboard.press("Enter");
  await page.waitForSelector("[aria-label='Type: rework']");
  await ctrlZ();
  await page.waitForSelector("[aria-label='Type: Task']");
  await choose(page, "[aria-label='Type: Task']", "Bug");
  await has(cut, "Type: Bug");
  await chooseDay(page, "#field-card-start", "2027-02-28");
  await see("set the start to");

  // A parent by its key, and a blocker by a part of its name.
  await page.locator("[aria-label='Set the parent']").click();
  await page.waitForSelector(".menu:popover-open input");
  await page.keyboard.type(`${key.toLowerCase()}-1`);
  await page.locator(`::-p-xpath(//*[@popover]//button[contains(., "${key}-1 Build the gearbox")])`).click();
  await page.waitForSelector(".parent-link");
  await press("Add a relation");
  await page.locator("::-p-xpath(//*[@popover]//button[contains(., 'Blocked by')])").click();
  await page.waitForSelector(".menu:popover-open input");
  await page.keyboard.type("hob");
  await page.locator("::-p-xpath(//*[@popover]//button[contains(., 'Order the hob')])").click();
  await has(cut, "Blocked by an open card");
  await see(`marked this as blocked by ${key}-2`);

  // A checklist: added by Enter, ticked, edited in place, moved by keys, deleted and brought back.
  await press("Add a checklist");
  await page.waitForSelector(".line-field input:focus");
  for (const line of ["Index the blank", "Cut", "Deburr"]) {
    await page.keyboard.type(line);
    await page.keyboard.press("Enter");
  }
  await becomes("the lines", lines, "Index the blank,Cut,Deburr");
  await page.locator(".line-row input").click();
  await see("1 of 3 done");
  await becomes("the count on the board", () => page.$eval(`[data-card="${cut}"] .checked`, (one) => one.innerText
    .trim().slice(0, 3)), "1/3");
  await page.locator(".line-row:nth-child(2) .line-text").click();
  await page.waitForSelector(".line-input:focus");
  await page.keyboard.press("End");
  await page.keyboard.type(" with care");
  await page.keyboard.press("Enter");
  await becomes("the edited line", lines, "Index the blank,Cut with care,Deburr");
  await page.focus(".line-row:nth-child(3) .handle");
  await page.keyboard.press("ArrowUp");
  await becomes("the moved line", lines, "Index the blank,Deburr,Cut with care");
  await page.waitForFunction(() => document.activeElement.matches(".line-row:nth-child(2) .handle"));
  await page.locator(".line-row:nth-child(2) [aria-label^='Delete the line']").click();
  await becomes("the lines without the deleted one", lines, "Index the blank,Cut with care");
  await ctrlZ();
  await becomes("the line that came back", lines, "Index the blank,Deburr,Cut with care");
  await look("relations-panel");
  await page.reload();
  await page.waitForSelector(".line-text");
  await becomes("the lines after a reload", lines, "Index the blank,Deburr,Cut with care");

  // Another person sees a tick at once.
  const { page: other, see: otherSees } = await person();
  await other.goto(url);
  await other.evaluate((session) => sessionStorage.setItem("session", session),
    await page.evaluate(() => sessionStorage.getItem("session")));
  await other.goto(`${url}${team}?card=${key}-3`);
  await otherSees("1 of 3 done");
  await page.locator(".line-row:nth-child(2) input").click();
  await otherSees("2 of 3 done");
  await other.waitForFunction((id) => document.querySelector(`[data-card="${id}"]`).innerText.includes("2/3"), {}, cut);

  // The parent lists its sub-cards, and takes another one.
  await page.locator(".parent-link").click();
  await page.waitForSelector(`[data-panel="${gearbox}"]`);
  await see("0 of 1 done");
  await press("Add a sub-card");
  await page.waitForSelector(".children .line-field input:focus");
  await page.keyboard.type("Measure");
  await page.keyboard.press("Enter");
  await see("0 of 2 done");
  await look("relations-children");

  // Keys in a comment lead to their cards; code, addresses and words that are written alike don't.
  await call("POST", `/projects/${project}/cards/${gearbox}/comments`,
    { body: `After ${key}-2, not \`${key}-3\`, https://works.example/${key}-3 or ISO-4762.` });
  await page.reload();
  await page.waitForSelector(".comment .mention");
  await becomes("the keys that are links", () => page.$$eval(".comment .mention", (all) =>
    all.map((one) => one.textContent).join()), `${key}-2`);
  await page.locator(".comment .mention").click();
  await page.waitForSelector(`[data-panel="${hob}"]`);
  expect(path() === team, `the link left the board for ${path()}`);

  // A member is mentioned by a part of the name, and finds the card at home.
  const { user } = await call("GET", "/me");
  await page.locator(".editor textarea").click();
  await page.keyboard.type("Look, @ame");
  await page.waitForSelector(".mention-list [aria-selected=true]");
  await look("relations-mention");
  await page.keyboard.press("Escape");
  await page.waitForFunction(() => !document.querySelector(".mention-list"));
  await page.keyboard.type("s");
  await page.waitForSelector(".mention-list [aria-selected=true]");
  await page.keyboard.press("Enter");
  await becomes("the comment with the handle", () => page.$eval(".editor textarea", (one) => one.value),
    `Look, @${user.slug} `);
  await page.keyboard.type("and @nobody");
  await page.keyboard.down("Control");
  await page.keyboard.press("Enter");
  await page.keyboard.up("Control");
  await page.waitForSelector(".comment .mentioned");
  await becomes("the people who are mentioned", () => page.$$eval(".comment .mentioned", (all) =>
    all.map((one) => `${one.textContent} ${one.title}`).join()), `@${user.slug} ${user.name}`);
  await page.goto(url);
  await page.waitForSelector("#mentioned");
  await look("relations-home");
  await page.locator("[aria-labelledby=mentioned] a").click();
  await page.waitForSelector(`[data-panel="${hob}"]`);

  // A commit that names a card is listed there, and its page and the history lead back.
  await call("POST", `/projects/${project}/objects`, { name: "Hob", type: "Part", data: {} });
  const { hash } = (await call("POST", `/projects/${project}/branches/main/commits`,
    { message: `Draw the hob for ${key}-2` })).commit;
  await page.goto(`${url}/projects/${project}/cards/${key}-2`);
  await page.waitForSelector(".card-commits a");
  await becomes("the card's commits", () => page.$$eval(".card-commits .name", (all) =>
    all.map((one) => one.textContent).join()), `Draw the hob for ${key}-2`);
  expect(!(await page.$(".card-commits .closing")), "a mere mention is marked as closing");
  await look("relations-commits");
  await page.locator(".card-commits a").click();
  await page.waitForSelector("h1.subject .mention");
  expect(path() === `/projects/${project}/commits/${hash}`, `the commit of the card is at ${path()}`);
  await page.goto(`${url}/projects/${project}/history`);
  await page.waitForSelector(".row-cards .mention");
  await page.locator(".row-cards .mention").click();
  await page.waitForSelector(`[data-panel="${hob}"]`);

  // Filters, and the table by urgency.
  const cards = (count) => page.waitForFunction((wanted) =>
    document.querySelectorAll("[data-card]").length === wanted, {}, count);
  await page.goto(`${url}${team}?blocked=true`);
  await cards(1);
  await look("relations-filtered");
  await page.goto(`${url}${team}?priority=urgent&type=bug&parent=${gearbox}`);
  await cards(1);
  await page.goto(`${url}${team}/cards?sort=priority`);
  await page.waitForSelector(".grid-rows .grid-row");
  await becomes("the most urgent card", () => page.$eval(".grid-rows .cell-key", (cell) => cell.textContent),
    `${key}-3`);
  await look("relations-table");

  // Lanes by priority: arrows go from lane to lane, and a move across stays in its lane. A saved view keeps them.
  const pick = (name) => page.locator(`::-p-xpath(//*[@popover]//button[contains(., "${name}")])`).click();
  await page.goto(`${url}${team}`);
  await page.waitForSelector(`[data-card="${cut}"]`);
  await press("Lanes");
  await pick("Lanes by priority");
  await page.waitForSelector(`[data-lane-row=urgent] [data-card="${cut}"]`);
  await becomes("the lanes", () => page.$$eval(".lane-name", (all) => all.map((one) =>
    one.firstChild.textContent.trim()).join()), "Urgent,No priority");
  await look("relations-lanes");
  await page.focus(`[data-card="${cut}"]`);
  await page.keyboard.press("ArrowDown");
  await page.waitForFunction(() => document.activeElement.matches("[data-lane=''] [data-card]"));
  await page.keyboard.press("ArrowUp");
  await page.waitForFunction((id) => document.activeElement.dataset.card === id, {}, cut);
  for (const [arrow, column] of [["ArrowRight", 2], ["ArrowLeft", 1]]) {
    await page.keyboard.down("Shift");
    await page.keyboard.press(arrow);
    await page.keyboard.up("Shift");
    await page.waitForSelector(`[data-lane-row=urgent] [data-column]:nth-child(${column}) [data-card="${cut}"]`);
    await page.waitForFunction((id) => document.activeElement.dataset.card === id, {}, cut);
  }
  // A move beyond the edge of a lane changes the value, and is undone with it.
  const priority = async () => (await call("GET", `/projects/${project}/cards/${cut}`)).card.priority;
  await page.keyboard.down("Shift");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.up("Shift");
  await page.waitForSelector(`[data-lane-row=''] [data-column]:nth-child(1) [data-card="${cut}"]`);
  await page.waitForFunction((id) => document.activeElement.dataset.card === id, {}, cut);
  await becomes("the priority of the new lane", priority, "none");
  await ctrlZ();
  await page.waitForSelector(`[data-lane-row=urgent] [data-column]:nth-child(1) [data-card="${cut}"]`);
  await becomes("the priority that came back", priority, "urgent");
  await press("Views");
  await pick("Save this view");
  await page.waitForSelector("#field-name");
  await page.locator("#field-name").fill("By urgency");
  await page.locator("dialog .primary").click();
  await see("Saved the view By urgency.");
  await page.goto(`${url}/views`);
  await press("Rename the view By urgency");
  await page.waitForSelector("#field-name");
  await page.locator("#field-name").fill("What burns");
  await page.locator("dialog .primary").click();
  await page.waitForSelector("[aria-label='Delete the view What burns']");
  await look("relations-views");
  await page.locator(".row-place a.row").click();
  await page.waitForSelector(`[data-lane-row=urgent] [data-card="${cut}"]`);
  expect(path() === team, `the view opened ${path()}`);
  await page.goto(`${url}/views`);
  await press("Delete the view What burns");
  await page.waitForSelector("dialog .primary");
  await page.locator("dialog .primary").click();
  await see("No saved views yet.");

  // A key that is typed leads to its card: in the search, and in old addresses.
  await page.keyboard.press("/");
  await page.waitForSelector(".palette input");
  await page.keyboard.type(`${key.toLowerCase()}-2`);
  await page.waitForFunction(() =>
    document.querySelector(".palette [role=option]")?.textContent.includes("Order the hob"));
  await page.keyboard.press("Enter");
  await page.waitForSelector(`[data-panel="${hob}"]`);
  await page.goto(`${url}${team}?card=${cut}`);
  await page.waitForSelector(`[data-panel="${cut}"]`);

  // A closed blocker blocks no more.
  await page.goto(`${url}/projects/${project}/cards/${key}-2`);
  await page.waitForSelector(`[data-panel="${hob}"]`);
  await press("Mark as done");
  await see("Reopen");
  await page.goto(`${url}${team}`);
  await page.waitForSelector(`[data-card="${cut}"]`);
  await page.waitForFunction((id) => !document.querySelector(`[data-card="${id}"] .blocked`), {}, cut);

  // The project gets another key; the old one still leads to its cards.
  await page.goto(`${url}/projects/${project}/settings`);
  await page.waitForSelector("#field-key");
  await look("relations-settings");
  await page.locator("#field-key").fill("x");
  expected.push("400");
  await page.locator("form .primary").click();
  await page.waitForFunction(() => document.querySelector(".field .failure")?.textContent !== "");
  await page.locator("#field-key").fill("mill");
  await page.locator("form .primary").click();
  await see("Saved.");
  await page.goto(`${url}/projects/${project}/cards/${key}-3`);
  await see("MILL-3");
  expect(path() === `/projects/${project}/cards/${key}-3`, `the old address became ${path()}`);
  await page.goto(`${url}${team}?card=${key}-3`);
  await page.waitForSelector(`[data-panel="${cut}"]`);
});
