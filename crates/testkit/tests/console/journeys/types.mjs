// A team defines a type of cards: its preset is shown where a card is made, and fills the card in.

import { becomes, choose, expect, given, run } from "./driver.mjs";
import { callerOf, signIn } from "./service.mjs";

const [link, team, project] = given;
const url = new URL(link).origin;

run(async ({ page, see, press, look }) => {
  await signIn(page, link);
  const call = callerOf(page);
  const closed = () => page.waitForFunction(() => !document.querySelector("dialog"));
  const send = async () => {
    await page.locator("dialog .primary").click();
    await closed();
  };
  const types = () => page.$$eval("[aria-labelledby=card-types] .who", (all) =>
    all.map((one) => one.innerText.replace(/\s+/g, " ").trim()).join("|"));

  await page.goto(`${url}/projects/${project}/settings`);
  await see("No types with a preset yet.");
  await press("New type");
  await page.waitForSelector("#field-type-name");
  await page.locator("#field-type-name").fill("Bug");
  await page.locator("#field-type-description").fill("Steps to see it:");
  await page.locator("#field-type-lines").fill("Write a test\n\nTell the customer");
  await look("types");
  await send();
  await becomes("the type", types, "Bug Steps to see it: · 2 lines");

  // The field for a new card shows what the card gets.
  await page.goto(`${url}${team}`);
  await page.waitForSelector("[data-column]");
  await page.locator("[data-column]:first-child .add .button").click();
  await page.waitForSelector(".add #field-type");
  await choose(page, ".add #field-type", "Bug");
  await see("Tell the customer");
  await look("types-new-card");
  await page.locator(".add input[name=name]").fill("Teeth too short");
  await page.keyboard.press("Enter");
  const made = async () => (await call("GET", `/projects/${project}/cards?q=too short`)).indexCards[0]?.checklist.total;
  await becomes("the lines of the new card", made, 2);

  // A changed preset changes no card.
  await page.goto(`${url}/projects/${project}/settings`);
  await press("Actions of Bug");
  await page.locator(`::-p-xpath(//*[@popover]//button[contains(., "Edit")])`).click();
  await page.waitForSelector("#field-type-lines");
  await page.locator("#field-type-lines").fill("");
  await send();
  await becomes("the changed type", types, "Bug Steps to see it:");
  expect(await made() === 2, "a changed preset changed a card");
});
