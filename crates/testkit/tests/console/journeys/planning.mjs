// Two people plan on one board: cards opened, edited and discussed, columns, filters, keys, touch, and each other's moves.

import { appendFileSync } from "node:fs";
import { expect, expected, given, run } from "./driver.mjs";

const [aliceLink, bobLink, board, project] = given;
const url = new URL(aliceLink).origin;

const columns = (page) => page.evaluate(() => [...document.querySelectorAll("[data-column]")].map((one) =>
  `${one.querySelector("h2").textContent}: ${[...one.querySelectorAll("[data-card] .name")].map((name) => name.textContent.slice(0, 13)).join(", ")}`).join("; "));
const idOf = (page, name) => page.evaluate((wanted) =>
  [...document.querySelectorAll("[data-card]")].find((card) => card.textContent.includes(wanted))?.dataset.card, name);
const choose = (page, name) => page.locator(`::-p-xpath(//*[@popover]//button[contains(., "${name}")])`).click();

run(async ({ page, see, press, look }, person) => {
  await page.goto(aliceLink);
  await see("Projects");
  await page.goto(url + board);
  await page.waitForSelector("[data-card]");
  expect(await page.evaluate(() => !globalThis.broken), "a name was run");
  await look("planning-board");

  // A card: description, comment, tag, assignee, effort, due, history.
  const cut = await idOf(page, "Cut the teeth");
  await page.focus(`[data-card="${cut}"]`);
  await page.keyboard.press("Enter");
  await page.waitForSelector("[data-panel]");
  // A second Enter must not press a button of the panel.
  await page.waitForFunction(() => document.activeElement.matches("aside.panel"));
  expect(page.url().endsWith(`?card=${cut}`), `the card's address is ${page.url()}`);
  await page.locator("#field-card-description").fill("# Steps\n\n1. Index the **blank**\n2. Cut\n\n- [x] drawing\n\n> slowly\n\n"
    + "`G1 X2` and [the norm](https://example.com/iso53) and [bad](javascript:globalThis.broken=1)\n\n"
    + "<img src=x onerror=globalThis.broken=1>\n\n| tooth | done |\n|---|---|\n| 1 | yes |\n\n```\nfor tooth\n```");
  await page.locator(".description .primary").click();
  await see("Saved.");
  await page.waitForSelector(".markdown blockquote");
  const rendered = await page.evaluate(() => {
    const one = document.querySelector(".description .markdown");
    return [[...one.querySelectorAll("a")].map((link) => `${link.href} ${link.rel}`).join(), one.querySelectorAll("img").length,
      one.querySelectorAll("h3").length, one.querySelectorAll("li").length, one.querySelectorAll("td").length];
  });
  expect(rendered.join("|") === "https://example.com/iso53 noopener noreferrer nofollow ugc|0|1|3|2", `Markdown: ${rendered.join("|")}`);
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
  await page.evaluate(() => {
    const due = document.querySelector("#field-card-due");
    due.value = "2020-02-03";
    due.dispatchEvent(new Event("input"));
    due.dispatchEvent(new Event("blur"));
  });
  await see("set the due date");
  await page.locator(".activity + .failure + .editor textarea").fill("Which *module*?");
  await press("Comment");
  await page.waitForSelector(".comment em");
  await look("planning-card");
  await press("Edit the comment");
  await page.locator(".comment textarea").fill("Module 2.");
  await page.locator("::-p-xpath(//li[contains(@class, 'comment')]//button[contains(., 'Save')])").click();
  await see("Module 2.");
  await see("edited");
  await press("Delete the comment");
  await page.locator("dialog .primary").click();
  await see("deleted a comment");

  // The column, from the panel; the history says it.
  await press("Column: To do");
  await choose(page, "Doing");
  await see("moved this from To do to Doing");
  expect((await columns(page)).includes("To do: Harden, Polish"), `after the panel's move: ${await columns(page)}`);

  // Somebody else changes the same field: what was typed stays, and the person decides.
  expected.push("409", "400");
  const { page: other, see: otherSees } = await person();
  await other.goto(bobLink);
  await otherSees("Projects");
  await other.goto(`${url}${board}?card=${cut}`);
  await other.waitForSelector("[data-panel]");
  await page.locator("#field-card-name").fill("Cut all teeth");
  await other.locator("#field-card-name").fill("Cut twenty teeth");
  await other.keyboard.press("Enter");
  await page.waitForFunction(() => [...document.querySelectorAll("[data-card]")].some((one) => one.textContent.includes("twenty")));
  await page.waitForFunction(() => document.querySelector(".activity").innerText.includes("renamed"));
  expect(await page.evaluate(() => document.querySelector("#field-card-name").value) === "Cut all teeth", "the typed name is lost");
  await page.focus("#field-card-name");
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => document.querySelector("#field-card-name").value === "Cut all teeth");

  // The other's move appears without a reload.
  const harden = await idOf(page, "Harden");
  await other.keyboard.press("Escape");
  await other.focus(`[data-card="${harden}"]`);
  await other.keyboard.down("Shift");
  const begun = Date.now();
  await other.keyboard.press("ArrowRight");
  await other.keyboard.up("Shift");
  await page.waitForFunction((card) => document.querySelectorAll("[data-column]")[1].querySelector(`[data-card="${card}"]`), {}, harden);
  const took = Date.now() - begun;
  // A second is the aim; a machine that is busy with other tests must not fail this one.
  expect(took < 4_000, `the other's move took ${took} ms`);
  if (process.env.MEASUREMENTS) appendFileSync(process.env.MEASUREMENTS, `another's move is seen after ${took} ms\n`);

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
  await press("Clear filters");

  // The palette finds actions, the search cards, and ? shows the keys.
  await page.evaluate(() => document.activeElement.blur());
  await page.keyboard.down("Control");
  await page.keyboard.press("k");
  await page.keyboard.up("Control");
  await page.waitForSelector(".palette input");
  await page.waitForFunction(() => document.querySelectorAll(".palette [role=option]").length > 5);
  await look("planning-palette");
  await page.keyboard.type("add a col");
  await page.keyboard.press("Enter");
  await page.waitForSelector("#field-column-name");
  await page.keyboard.press("Escape");
  await page.waitForFunction(() => !document.querySelector("dialog"));
  await page.keyboard.press("/");
  await page.waitForSelector(".palette input");
  await page.keyboard.type("polish");
  await page.waitForFunction(() => document.querySelector(".palette [role=option]")?.textContent.includes("Polish"));
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => document.querySelector("#field-card-name")?.value === "Polish");
  await page.keyboard.press("Escape");
  await page.waitForFunction(() => document.querySelector(".panel").hidden);
  await page.keyboard.press("?");
  await see("Keys of this page");
  await look("planning-keys");
  await page.keyboard.press("Escape");
  await page.waitForFunction(() => !document.querySelector("dialog"));

  // Columns by their menu.
  await press("Column Done");
  await choose(page, "Limit work");
  await page.locator("#field-column-limit").fill("1");
  await page.select("#field-column-policy", "block");
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
  await see("Its 4 cards go to another column.");
  await page.locator("dialog .primary").click();
  await page.waitForFunction(() => document.querySelectorAll("[data-column]").length === 2);

  // A refused card keeps its text.
  await page.evaluate(() => document.activeElement.blur());
  await page.keyboard.press("c");
  await page.waitForSelector(".add input");
  await page.keyboard.type(" ");
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => document.querySelector(".add .failure").textContent !== "");
  expect(await page.evaluate(() => document.querySelector(".add input").value) === " ", "the text of a refused card is lost");
  await page.keyboard.press("Escape");

  // Keys: m moves, and a card is read out.
  const polish = await idOf(page, "Polish");
  await page.focus(`[data-card="${polish}"]`);
  await page.keyboard.press("m");
  await choose(page, "Finished");
  await page.waitForFunction((card) => document.querySelectorAll("[data-column]")[1].querySelector(`[data-card="${card}"]`), {}, polish);
  expect(await page.evaluate(() => document.activeElement.textContent.includes("Polish")), "the focus is lost by m");
  expect(await page.evaluate(() => document.querySelector(".board > [aria-live=assertive]").textContent.includes("Finished, 1 of 1")),
    "the move isn't announced");

  // A phone: a long press lifts a card.
  await page.setViewport({ width: 390, height: 800, hasTouch: true, isMobile: true });
  await page.waitForSelector("[data-card]");
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
});
