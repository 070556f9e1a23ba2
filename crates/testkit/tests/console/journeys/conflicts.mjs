// Two people change the same fields of a card: nobody's text is lost.

import { becomes, expect } from "./driver.mjs";

/** The steps of two people at a card, which the first has open. `card` is its address. */
export async function conflicts({ page, see, press, look }, bob, card) {
  const { page: other } = bob;
  // Somebody else changes the same field: what was typed stays, and the person decides.
  await other.goto(card);
  await other.waitForSelector("[data-panel]");
  await page.locator("#field-card-name").fill("Cut all teeth");
  await other.locator("#field-card-name").fill("Cut twenty teeth");
  await other.keyboard.press("Enter");
  await page.waitForFunction(() =>
    [...document.querySelectorAll("[data-card]")].some((one) => one.textContent.includes("twenty")));
  await page.waitForFunction(() => document.querySelector(".activity").innerText.includes("renamed"));
  await becomes("the typed name is lost", () => page.evaluate(() => document.querySelector("#field-card-name").value),
    "Cut all teeth");
  await page.focus("#field-card-name");
  await page.keyboard.press("Enter");
  await see("Someone else changed this in the meantime.");
  await becomes("their name isn't shown", () => page.$eval(".card-panel blockquote", (one) => one.textContent),
    "Cut twenty teeth");
  await press("Keep mine");
  await page.waitForFunction(() => document.querySelector("#field-card-name").value === "Cut all teeth");
  await other.waitForFunction(() => document.querySelector("#field-card-name").value === "Cut all teeth");

  // One's own changes that follow one another are no conflict.
  await page.evaluate(() => {
    const effort = document.querySelector("#field-card-effort");
    for (const value of ["8", "13"]) {
      effort.value = value;
      effort.dispatchEvent(new Event("input"));
      effort.dispatchEvent(new Event("blur"));
    }
  });
  await see("set the effort to 13");
  await becomes("the second of two efforts is lost", () => page.$eval("#field-card-effort", (field) => field.value),
    "13");
  expect(!(await page.$(".card-panel .failure blockquote")), "a person is in conflict with themselves");

  // A description, whose draft has outlived a reload before the other saves theirs, and once more after it.
  const description = "#field-card-description";
  const save = (tab) => tab.locator(".description .primary").click();
  const conflict = async (mine, their, isReloaded) => {
    await press("Edit the description");
    await page.locator(description).fill(mine);
    if (isReloaded) {
      await page.reload();
      await page.waitForSelector(description);
    }
    await other.locator("[aria-label='Edit the description']").click();
    await other.locator(description).fill(their);
    await save(other);
    await bob.see("Saved.");
    if (isReloaded) {
      await page.reload();
      await page.waitForSelector(description);
    } else {
      await page.waitForFunction(() =>
        document.querySelector(".activity > :last-child").innerText.includes("bob changed the description"));
    }
    await save(page);
    await see("Someone else changed this in the meantime.");
    const both = await page.evaluate((field) =>
      [document.querySelector(field).value, document.querySelector(".card-panel blockquote").textContent], description);
    expect(both.join("|") === `${mine}|${their}`, `of two descriptions are shown ${both.join(" and ")}`);
  };
  await conflict("Alice's steps", "Bob's steps", true);
  await look("planning-conflict");
  await press("Keep mine");
  await see("Saved.");
  await other.waitForFunction(() => document.querySelector(".description .markdown").textContent === "Alice's steps");
  await conflict("Alice's thought", "Bob's second thought", false);
  await press("Take theirs");
  await page.waitForFunction(() =>
    document.querySelector(".description .markdown").textContent === "Bob's second thought");
}
