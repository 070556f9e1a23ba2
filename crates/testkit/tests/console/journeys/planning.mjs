// Two people plan on one board: cards opened, edited and discussed, columns, filters, keys, touch, and each other's
// moves.

import { conflicts } from "./conflicts.mjs";
import { becomes, expect, expected, given, intercept, proceed, run, until } from "./driver.mjs";

const [aliceLink, bobLink, board, project] = given;
const url = new URL(aliceLink).origin;

const columns = (page) => page.evaluate(() => [...document.querySelectorAll("[data-column]")].map((one) => {
  const names = [...one.querySelectorAll("[data-card] .name")].map((name) => name.textContent.slice(0, 13));
  return `${one.querySelector("h2").textContent}: ${names.join(", ")}`;
}).join("; "));
const idOf = (page, name) => page.evaluate((wanted) =>
  [...document.querySelectorAll("[data-card]")].find((card) => card.textContent.includes(wanted))?.dataset.card, name);
const choose = (page, name) => page.locator(`::-p-xpath(//*[@popover]//button[contains(., "${name}")])`).click();
const ctrl = async (page, key) => {
  await page.keyboard.down("Control");
  await page.keyboard.press(key);
  await page.keyboard.up("Control");
};

run(async (alice, person) => {
  const { page, see, press, look } = alice;
  await page.goto(aliceLink);
  await see("Projects");
  const own = [];
  page.on("request", (request) => { if (request.url().endsWith("/api/v2/me")) own.push(request); });
  await page.goto(url + board);
  await page.waitForSelector("[data-card]");
  await page.waitForSelector(".account .mark");
  expect(own.length === 1, `a board reads its person ${own.length} times`);
  expect(await page.evaluate(() => !globalThis.broken), "a name was run");
  await look("planning-board");

  // A card: description, comment, tag, assignee, effort, due, history.
  const cut = await idOf(page, "Cut the teeth");
  await page.focus(`[data-card="${cut}"]`);
  await page.keyboard.press("Enter");
  await page.waitForSelector("[data-panel]");
  // A second Enter must not press a button of the panel.
  await page.waitForFunction(() => document.activeElement.matches("aside.panel"));
  expect(page.url().endsWith("?card=GEAR-1"), `the card's address is ${page.url()}`);
  await page.locator("#field-card-description").fill("# Steps\n\n1. Index the **blank**\n2. Cut\n\n"
    + "- [x] drawing\n\n> slowly\n\n"
    + "`G1 X2` and [the norm](https://example.com/iso53) and [bad](javascript:globalThis.broken=1)\n\n"
    + "<img src=x onerror=globalThis.broken=1>\n\n| tooth | done |\n|---|---|\n| 1 | yes |\n\n```\nfor tooth\n```");
  await page.locator(".description .primary").click();
  await see("Saved.");
  await page.waitForSelector(".markdown blockquote");
  const rendered = await page.evaluate(() => {
    const one = document.querySelector(".description .markdown");
    return [[...one.querySelectorAll("a")].map((link) => `${link.href} ${link.rel}`).join(),
      one.querySelectorAll("img").length, one.querySelectorAll("h3").length, one.querySelectorAll("li").length,
      one.querySelectorAll("td").length];
  });
  expect(rendered.join("|") === "https://example.com/iso53 noopener noreferrer nofollow ugc|0|1|3|2",
    `Markdown: ${rendered.join("|")}`);
  await press("Assign");
  await choose(page, "bob");
  await page.keyboard.press("Escape");
  await see("assigned bob");
  await press("Tag");
  await page.waitForSelector("[popover] input:focus");
  await page.keyboard.type("urgent");
  await choose(page, "Create");
  await page.waitForSelector("#field-tag-name");
  await page.locator("dialog .primary").click();
  await see("added the tag urgent");
  await page.locator("#field-card-effort").fill("5");
  await page.keyboard.press("Enter");
  await see("set the effort to 5");
  await page.locator("#field-card-due").click();
  await page.waitForSelector("[popover] input:focus");
  await page.keyboard.type("2020-02-03");
  await page.keyboard.press("Enter");
  await see("set the due date");
  const comment = ".activity + .failure + .editor textarea";
  await page.locator(comment).fill("Which *module*?");
  await page.focus(comment);
  await ctrl(page, "Enter");
  await page.waitForSelector(".comment em");
  expect(await page.$eval(comment, (field) => field.value) === "", "a comment that was sent is still to be sent");
  await look("planning-card");
  await press("Edit the comment");
  await page.locator(".comment textarea").fill("Module 2.");
  await page.locator("::-p-xpath(//li[contains(@class, 'comment')]//button[contains(., 'Save')])").click();
  await see("Module 2.");
  await see("edited");
  // A comment that is deleted can be taken back, until it is sent.
  await press("Delete the comment");
  await see("The comment is deleted.");
  await page.waitForFunction(() => !document.querySelector(".comment"));
  await page.evaluate(() => document.activeElement.blur());
  await ctrl(page, "z");
  await page.waitForSelector(".comment");
  await press("Delete the comment");
  await see("deleted a comment");

  // What was typed outlives a reload, in the tab alone, for its person alone.
  const typed = () => page.evaluate((field) => [field, "#field-card-description", ".add input"]
    .map((one) => document.querySelector(one)?.value ?? "").join("|"), comment);
  const add = () => page.evaluate(() => document.querySelector(".add button").click());
  await page.$eval(".panel", (panel) => panel.scrollTo(0, 0));
  await press("Edit the description");
  await page.locator("#field-card-description").fill("All twenty.");
  await page.locator(comment).fill("Half a thought");
  await page.keyboard.press("Tab");
  await add();
  await page.locator(".add input").fill("Deburr");
  await page.reload();
  await page.waitForSelector("[data-panel]");
  await becomes("the form of a new card opens alone", typed, "Half a thought|All twenty.|");
  await add();
  await becomes("after a reload", typed, "Half a thought|All twenty.|Deburr");
  expect(await page.evaluate(() => !JSON.stringify(localStorage).includes("thought")),
    "a draft is kept outside of the tab");
  const bob = await person();
  const { page: other, see: otherSees } = bob;
  await other.goto(bobLink);
  await otherSees("Projects");
  const sessionOf = (tab) => tab.evaluate(() => sessionStorage.getItem("session"));
  const hers = await sessionOf(page);
  const as = async (session) => {
    await page.evaluate((text) => sessionStorage.setItem("session", text), session);
    await page.reload();
    await page.waitForSelector("[data-panel]");
  };
  await as(await sessionOf(other));
  await add();
  expect(await typed() === "||", `another person in the same tab finds ${await typed()}`);
  await as(hers);
  await add();
  await becomes("back in the tab", typed, "Half a thought|All twenty.|Deburr");
  await page.locator("::-p-xpath(//*[contains(@class, 'description')]//button[contains(., 'Cancel')])").click();
  await page.focus(comment);
  await ctrl(page, "a");
  await page.keyboard.press("Backspace");
  await page.locator("::-p-xpath(//*[contains(@class, 'add')]//button[contains(., 'Cancel')])").click();
  await page.reload();
  await page.waitForSelector("[data-panel]");
  await add();
  expect(await typed() === "||", `what was dropped comes back: ${await typed()}`);

  // On a slow line the panel opens at once, with what the board knows. The first key closes the form of the new card.
  await page.keyboard.press("Escape");
  await page.evaluate(() => document.activeElement.blur());
  await page.keyboard.press("Escape");
  await page.waitForFunction(() => document.querySelector(".panel").hidden);
  const harden = await idOf(page, "Harden");
  const asked = [];
  const release = await intercept(page, (request) => request.url().endsWith(`/cards/${harden}`) && asked.push(request));
  await page.locator(`[data-card="${harden}"]`).click();
  await page.waitForFunction(() => document.querySelector(".panel .card-name")?.textContent === "Harden");
  await see("Opening the card…");
  await look("planning-opening");
  await release();
  for (const request of asked) await proceed(request);
  await page.waitForSelector(`[data-panel="${harden}"]`);
  await page.keyboard.press("Escape");
  await page.waitForFunction(() => document.querySelector(".panel").hidden);
  await page.locator(`[data-card="${cut}"]`).click();
  await page.waitForSelector(`[data-panel="${cut}"]`);

  // The column, from the panel; the history says it.
  await press("Column: To do");
  await choose(page, "Doing");
  await see("moved this from To do to Doing");
  expect((await columns(page)).includes("To do: Harden, Polish"), `after the panel's move: ${await columns(page)}`);

  expected.push("409", "400");
  await conflicts(alice, bob, `${url}${board}?card=${cut}`);

  // The other's move appears without a reload.
  await other.keyboard.press("Escape");
  await other.focus(`[data-card="${harden}"]`);
  await other.keyboard.down("Shift");
  await other.keyboard.press("ArrowRight");
  await other.keyboard.up("Shift");
  await page.waitForFunction((card) =>
    document.querySelectorAll("[data-column]")[1].querySelector(`[data-card="${card}"]`), {}, harden);

  // What can't be read when an event comes is read later.
  let lost = 0;
  const mend = await intercept(page, (request) => request.url().includes("/board/changes?")
    && (lost += 1) && request.abort());
  expected.push("ERR_FAILED");
  const second = '[data-column]:nth-child(2)';
  await other.keyboard.down("Shift");
  await other.keyboard.press("ArrowRight");
  await other.keyboard.up("Shift");
  // All tries of the first reading.
  await until(() => lost >= 4, "the board to be read in vain");
  expect(await page.$(`${second} [data-card="${harden}"]`), "the board has changed without a reading");
  await mend();
  await page.waitForSelector(`[data-column]:nth-child(3) [data-card="${harden}"]`);
  await other.keyboard.down("Shift");
  await other.keyboard.press("ArrowLeft");
  await other.keyboard.up("Shift");
  await page.waitForSelector(`${second} [data-card="${harden}"]`);

  // Back closes the card, forward opens it.
  await page.goBack();
  await page.waitForFunction(() => document.querySelector(".panel").hidden);
  await page.goForward();
  await page.waitForFunction((card) => document.querySelector(`[data-panel="${card}"]`), {}, cut);
  await page.keyboard.press("Escape");
  await page.waitForFunction(() => document.querySelector(".panel").hidden);

  // Filters are in the address.
  await press("Filter");
  await page.waitForSelector("[popover] input:focus");
  await page.keyboard.type("bob");
  await page.keyboard.press("Enter");
  await see("1 of 5 cards");
  expect(page.url().includes("assignee="), `the filter's address is ${page.url()}`);
  await page.reload();
  await see("1 of 5 cards");
  await look("planning-filter");
  await press("Clear filters");
  await page.waitForFunction(() => document.querySelectorAll("[data-card]").length === 5);
  await page.type(".filters input", "pol");
  await see("1 of 5 cards");
  // A new card that the filter hides is said to be there.
  await page.evaluate(() => document.querySelector(".add button").click());
  await page.locator(".add input").fill("Deburr");
  await page.keyboard.press("Enter");
  await see("Added, but hidden by the filter.");
  await look("planning-hidden");
  await page.locator(".toast .button.small:not(.plain)").click();
  await page.waitForFunction(() => document.querySelectorAll("[data-card]").length === 6);
  await page.keyboard.press("Escape");

  // Its menu takes it off the board, and back; then it goes for good. A done card without a column for it says where it
  // is.
  const deburr = await idOf(page, "Deburr");
  const gone = () => page.waitForFunction((card) => !document.querySelector(`[data-card="${card}"]`), {}, deburr);
  await page.locator(`[data-item="${deburr}"] .card-more`).click();
  await look("planning-card-menu");
  await choose(page, "Take off the board");
  await see("Deburr is now in the backlog.");
  await gone();
  await page.locator(".toast .button.small:not(.plain)").click();
  await page.locator(`[data-card="${deburr}"]`).click();
  await page.waitForSelector(`[data-panel="${deburr}"]`);
  await becomes("an empty effort can't be seen", () => page.$eval("#field-card-effort", (field) => field.placeholder),
    "None");
  await press("Mark as done");
  await see("Marked as done. It stays in To do");
  await look("planning-done");
  await page.locator("[data-panel] [aria-label=Actions]").click();
  await choose(page, "Delete card");
  await see("Deburr is deleted.");
  await look("planning-delete");
  await gone();
  await page.waitForFunction(() => document.querySelector(".panel").hidden);
  // It can be taken back.
  await ctrl(page, "z");
  await page.locator(`[data-item="${deburr}"] .card-more`).click();
  await choose(page, "Delete card");
  await gone();

  // The palette finds actions, the search cards, and ? shows the keys.
  await page.evaluate(() => document.activeElement.blur());
  await ctrl(page, "k");
  await page.waitForSelector(".palette input");
  await page.waitForFunction(() => document.querySelectorAll(".palette [role=option]").length > 5);
  await look("planning-palette");
  const found = async (query) => {
    await page.$eval(".palette input", (field) => { field.value = ""; });
    await page.keyboard.type(query);
    return page.$$eval(".palette [role=option] .name", (names) => names.map((one) => one.textContent).join("; "));
  };
  for (const [query, wanted] of [["upload", "Upload files"], ["commit", "Commit"], ["clone", "Clone"],
    ["new proj", "New project"], ["account", "Go to Account"], ["api", "Go to API keys"],
    ["organiz", "Go to Organizations"], ["invite", "Invite a person"], ["sprint", "New sprint"], ["key", "New key"],
    ["branch", "New branch"]]) {
    const names = await found(query);
    expect(names.split("; ").includes(wanted), `the palette finds for ${query}: ${names}`);
  }
  await page.$eval(".palette input", (field) => { field.value = ""; });
  await page.keyboard.type("add a col");
  await page.keyboard.press("Enter");
  await page.waitForSelector("#field-column-name");
  await page.waitForFunction(() => !document.querySelector(".palette"));
  // Behind a dialog no key does anything, wherever the focus is.
  const state = () => page.evaluate(() => `${location.href} ${document.querySelectorAll("dialog, .add form").length}`);
  const before = await state();
  await page.evaluate(() => document.activeElement.blur());
  for (const key of ["/", "c", "g", "p"]) await page.keyboard.press(key);
  await ctrl(page, "k");
  expect(await state() === before, "a key of the page was heard behind a dialog");
  await page.keyboard.press("Escape");
  await page.waitForFunction(() => !document.querySelector("dialog"));
  // From the palette, an action of another place goes there first.
  await ctrl(page, "k");
  await page.waitForSelector(".palette input");
  await page.keyboard.type("new sprint");
  await page.keyboard.press("Enter");
  await page.waitForSelector("dialog #field-description");
  await page.keyboard.press("Escape");
  await page.goBack();
  await page.waitForSelector("[data-card]");
  await page.keyboard.press("/");
  await page.waitForSelector(".palette input");
  await page.keyboard.type("polish");
  await page.waitForFunction(() => document.querySelector(".palette [role=option]")?.textContent.includes("Polish"));
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => document.querySelector("#field-card-name")?.value === "Polish");
  await page.keyboard.press("Escape");
  await page.waitForFunction(() => document.querySelector(".panel").hidden);
  await page.keyboard.press("?");
  await see("Keyboard shortcuts");
  await look("planning-keys");
  await page.keyboard.press("Escape");
  await page.waitForFunction(() => !document.querySelector("dialog"));

  // Columns by their menu.
  await press("Column Done");
  await choose(page, "Limit work");
  await page.locator("#field-column-limit").fill("1");
  await page.locator("#field-column-policy").click();
  await choose(page, "Block cards");
  await page.locator("dialog .primary").click();
  await see("0 / 1");
  await press("Column Done");
  await choose(page, "Rename");
  await page.locator("#field-column-name").fill("Doing");
  await page.locator("dialog .primary").click();
  await page.waitForFunction(() => document.querySelector("dialog .failure").textContent !== "");
  await page.locator("#field-column-name").fill("Finished");
  await page.locator("dialog .primary").click();
  await page.waitForSelector("[aria-label='Column Finished']");
  await press("Column Finished");
  await look("planning-menu");
  await page.waitForSelector("[popover]");
  await choose(page, "Move left");
  await page.waitForFunction(() => document.querySelectorAll("[data-column] h2")[1].textContent === "Finished");
  await press("Column Doing");
  await choose(page, "Delete the column");
  await see("Its 4 cards move to another column.");
  await page.locator("dialog .primary").click();
  await page.waitForFunction(() => document.querySelectorAll("[data-column]").length === 2);

  // A column is dragged by its head, and goes back by undo; a collapsed one opens by a click.
  const order = () => page.$$eval("[data-column] h2", (heads) => heads.map((head) => head.textContent).join());
  const [first, last] = await Promise.all((await page.$$(".column-head")).map((head) => head.boundingBox()));
  await page.mouse.move(first.x + 100, first.y + 14);
  await page.mouse.down();
  await page.mouse.move(first.x + 130, first.y + 20, { steps: 4 });
  await page.mouse.move(last.x + last.width - 30, last.y + 30, { steps: 10 });
  await page.mouse.up();
  await page.waitForFunction(() => document.querySelector("[data-column] h2").textContent === "Finished");
  await ctrl(page, "z");
  await page.waitForFunction(() => document.querySelector("[data-column] h2").textContent === "To do");
  await becomes("after the undo", order, "To do,Finished");
  await press("Column To do");
  await choose(page, "Collapse");
  await page.waitForSelector(".column.folded");
  await look("planning-folded");
  await page.locator(".column.folded h2").click();
  await page.waitForFunction(() => !document.querySelector(".column.folded"));

  // A refused card keeps its text.
  await page.evaluate(() => document.activeElement.blur());
  await page.keyboard.press("c");
  await page.waitForSelector(".add input");
  await page.keyboard.type(" ");
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => document.querySelector(".add .failure").textContent !== "");
  expect(await page.evaluate(() => document.querySelector(".add input").value) === " ",
    "the text of a refused card is lost");
  await page.keyboard.press("Escape");

  // Keys: m moves, and a card is read out.
  const polish = await idOf(page, "Polish");
  await page.focus(`[data-card="${polish}"]`);
  await page.keyboard.press("m");
  await choose(page, "Finished");
  await page.waitForFunction((card) =>
    document.querySelectorAll("[data-column]")[1].querySelector(`[data-card="${card}"]`), {}, polish);
  await page.waitForFunction(() => document.activeElement.textContent.includes("Polish"));
  await page.waitForFunction(() =>
    document.querySelector(".board > [aria-live=assertive]").textContent.includes("Finished, 1 of 1"));

  // A message that the service is away goes when it is back.
  expected.push("ERR_INTERNET_DISCONNECTED");
  await page.setOfflineMode(true);
  await page.keyboard.press("m");
  await choose(page, "To do");
  await see("Can't reach the service.");
  await page.setOfflineMode(false);
  await page.waitForFunction(() => !document.body.innerText.includes("Can't reach the service."));

  // A phone: a long press lifts a card.
  await page.setViewport({ width: 390, height: 800, hasTouch: true, isMobile: true });
  await page.waitForSelector("[data-card]");
  // The page is read again by a new viewport; what it still loads would take the card from under the finger.
  await alice.quiet();
  const from = await page.evaluate(() => {
    const cards = document.querySelectorAll("[data-column]")[0].querySelectorAll("[data-card]");
    const [one, last] = [cards[0].getBoundingClientRect(), cards[cards.length - 1].getBoundingClientRect()];
    return { id: cards[0].dataset.card, x: one.x + 40, y: one.y + 12, to: last.bottom - 4 };
  });
  const finger = await page.touchscreen.touchStart(from.x, from.y);
  await page.waitForSelector(".ghost");
  await finger.move(from.x, from.to);
  await finger.end();
  await page.waitForFunction((card) => {
    const cards = [...document.querySelectorAll("[data-column]")[0].querySelectorAll("[data-card]")];
    return cards.at(-1)?.dataset.card === card;
  }, {}, from.id);
  // Without touch again, which reads the page again.
  await page.setViewport({ width: 1400, height: 900 });
  await page.goto(`${url}/projects/${project}/cards/${cut}`);
  await page.waitForSelector("[data-panel]");
  await look("planning-card-page");
  await page.locator("[data-panel] [aria-label=Actions]").click();
  await choose(page, "Take off the board");
  await see("is now in the backlog.");
  await see("Not on a board");
});
