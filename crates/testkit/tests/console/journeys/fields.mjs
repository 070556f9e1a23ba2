// A team gives its cards fields of their own: defined in the settings, set on a card, shown and filtered in the table,
// required of new cards, renamed, archived, and kept from deletion.

import { becomes, choose, expect, expected, given, run } from "./driver.mjs";
import { callerOf, signIn } from "./service.mjs";

const [link, team, project] = given;
const url = new URL(link).origin;

run(async ({ page, see, press, look }, person) => {
  await signIn(page, link);
  const call = callerOf(page);
  const { project: { key } } = await call("GET", `/projects/${project}`);
  const gearbox = (await call("GET", `/projects/${project}/cards/${key}-1`)).card.id;
  const fieldOf = async (name) => (await call("GET", `/projects/${project}/fields`)).fields.find((field) =>
    field.name === name).id;
  const settings = `${url}/projects/${project}/settings`;
  const entry = (name) => page.locator(`::-p-xpath(//*[@popover]//button[contains(., "${name}")])`).click();
  const act = async (name, chosen) => {
    await press(`Actions of ${name}`);
    await entry(chosen);
  };
  const closed = () => page.waitForFunction(() => !document.querySelector("dialog"));
  const send = async () => {
    await page.locator("dialog .primary").click();
    await closed();
  };
  const fields = () => page.$$eval("[aria-labelledby=fields] .who", (all) =>
    all.map((one) => one.innerText.replace(/\s+/g, " ").trim()).join("|"));
  const ctrl = async (pressed) => {
    await page.keyboard.down("Control");
    await page.keyboard.press(pressed);
    await page.keyboard.up("Control");
  };
  const undo = async () => {
    await page.evaluate(() => document.activeElement.blur());
    await ctrl("z");
  };

  // A number with a unit and a bound, and a choice whose options are typed one after the other.
  await page.goto(settings);
  await see("No custom fields yet.");
  await press("New field");
  await page.waitForSelector("#field-field-name");
  await page.locator("#field-field-name").fill("Weight");
  await choose(page, "#field-type", "Number");
  await page.locator("#field-unit").fill("kg");
  await page.locator("#field-minimum").fill("0");
  await page.locator("#field-field-help").fill("Without its crate");
  await look("fields-number");
  await send();
  await becomes("the first field", fields, "Weight Number · from 0 kg");
  await press("New field");
  await page.locator("#field-field-name").fill("Material");
  await choose(page, "#field-type", "Single select");
  await page.locator(".option-row input").fill("Brass");
  await page.keyboard.press("Enter");
  await page.waitForSelector(".option-row:nth-child(2) input:focus");
  await page.keyboard.type("Steel");
  await page.focus(".option-row:nth-child(2) .handle");
  await page.keyboard.press("ArrowUp");
  await page.waitForFunction(() => document.querySelector(".option-row input").value === "Steel");
  await look("fields-choice");
  await send();
  await becomes("the fields", fields, "Weight Number · from 0 kg|Material Single select · Steel, Brass");

  // A name that is taken is refused, and stays typed.
  await press("New field");
  await page.locator("#field-field-name").fill("WEIGHT");
  expected.push("409", "400");
  await page.locator("dialog .primary").click();
  await page.waitForFunction(() => document.querySelector("dialog .failure").textContent !== "");
  expect(await page.$eval("#field-field-name", (input) => input.value) === "WEIGHT", "the refused name is gone");
  await page.keyboard.press("Escape");
  await closed();
  await look("fields-settings");
  const [weight, material] = [await fieldOf("Weight"), await fieldOf("Material")];

  // Both are set beside a card's other facts, and undone as these are.
  await page.goto(`${url}${team}?card=${key}-1`);
  await page.waitForSelector(`#field-card-${weight}`);
  expect(await page.$eval(`#field-card-${weight}`, (input) =>
    document.getElementById(input.getAttribute("aria-describedby")).textContent) === "Without its crate", "no help");
  await page.locator(`#field-card-${weight}`).fill("two");
  await page.keyboard.press("Enter");
  await see("This isn't a number.");
  await page.locator(`#field-card-${weight}`).fill("-1");
  await page.keyboard.press("Enter");
  await see("Weight must be");
  await look("fields-refused");
  await page.locator(`#field-card-${weight}`).fill("2.5");
  await page.keyboard.press("Enter");
  await see("set Weight to 2.5 kg");
  await choose(page, "[aria-label='Material: None']", "Steel");
  await page.waitForSelector("[aria-label='Material: Steel']");
  await see("set Material to Steel");
  await undo();
  await page.waitForSelector("[aria-label='Material: None']");
  await see("removed Material");
  await choose(page, "[aria-label='Material: None']", "Steel");
  await page.waitForSelector("[aria-label='Material: Steel']");
  await look("fields-panel");
  await page.reload();
  await page.waitForSelector("[aria-label='Material: Steel']");
  await becomes("the weight after a reload", () => page.$eval(`#field-card-${weight}`, (input) => input.value), "2.5");

  // In the table they are columns once they are chosen. A cell is edited in place.
  await page.goto(`${url}${team}/cards`);
  await see("2 cards");
  await press("Display");
  await entry("Show Weight");
  await page.waitForSelector(`[data-sort="field-${weight}"]`);
  await entry("Show Material");
  await page.waitForSelector(`[data-sort="field-${material}"]`);
  await page.keyboard.press("Escape");
  const cells = (card) => page.$$eval(`[data-card="${card}"] .cell-custom`, (all) =>
    all.map((cell) => cell.textContent).join("|"));
  await becomes("the card's values", () => cells(gearbox), "2.5 kg|Steel");
  const hob = (await call("GET", `/projects/${project}/cards/${key}-2`)).card.id;
  await page.locator(`[data-card="${hob}"] .cell-custom-number`).click();
  await page.waitForSelector(".cell-input:focus");
  await page.keyboard.type("12");
  await page.keyboard.press("Enter");
  await becomes("the typed value", () => cells(hob), "12 kg|");
  await becomes("the value that the service has", async () =>
    (await call("GET", `/projects/${project}/cards/${hob}`)).card.fields[weight], 12);
  const order = () => page.$$eval(".grid-rows [data-card]", (rows) =>
    rows.toSorted((one, other) => one.dataset.index - other.dataset.index).map((row) => row.dataset.card).join());
  await page.locator(`[data-sort="field-${weight}"]`).click();
  await becomes("the lightest first", order, `${gearbox},${hob}`);
  await page.locator(`[data-sort="field-${weight}"]`).click();
  await becomes("the heaviest first", order, `${hob},${gearbox}`);
  await look("fields-table");

  // One field of both cards at once; undo gives each the value that it had.
  await page.focus(".grid");
  await ctrl("a");
  await see("2 selected");
  await press("Field…");
  await entry("Material");
  await choose(page, `[id="field-fields.${material}"]`, "Steel");
  await look("fields-many");
  await send();
  await see("2 cards changed.");
  await becomes("the value of both", () => cells(hob), "12 kg|Steel");
  await undo();
  await becomes("the value that came back", () => cells(hob), "12 kg|");
  await becomes("the value that the service has again", async () =>
    (await call("GET", `/projects/${project}/cards/${hob}`)).card.fields[material], undefined);
  await press("Clear the selection");

  // A filter by an option and by no value is kept in the address.
  await press("Filter");
  await page.waitForSelector(".menu:popover-open input");
  await page.keyboard.type("material");
  await page.keyboard.press("Enter");
  await page.waitForSelector(".menu:popover-open[aria-label='Filter by Material']");
  await entry("Steel");
  await see("1 of 2 cards");
  await look("fields-filter-menu");
  await page.keyboard.press("Escape");
  await see("Material: Steel");
  await page.reload();
  await see("1 of 2 cards");
  await becomes("the filtered card", order, gearbox);
  await look("fields-filtered");

  // Another person's page of the card follows the field's new name, and so does the filter.
  const { page: other, see: otherSees } = await person();
  await other.goto(url);
  await other.evaluate((session) => sessionStorage.setItem("session", session),
    await page.evaluate(() => sessionStorage.getItem("session")));
  await other.goto(`${url}/projects/${project}/cards/${key}-1`);
  await other.waitForSelector("[aria-label='Material: Steel']");
  const filtered = page.url();
  await page.goto(settings);
  await act("Material", "Edit");
  await page.waitForSelector("#field-field-name");
  await page.locator("#field-field-name").fill("Stock");
  await send();
  await becomes("the renamed field", fields, "Weight Number · from 0 kg|Stock Single select · Steel, Brass");
  await other.waitForSelector("[aria-label='Stock: Steel']");
  await otherSees("set Stock to Steel");
  await page.goto(filtered);
  await see("Stock: Steel");
  await see("1 of 2 cards");
  await press("Clear filters");
  await see("2 cards");

  // A new card lacks a field that is required: the dialog asks for it, and the typed name goes along.
  await call("POST", `/projects/${project}/fields`, { name: "Risk", type: "choice", options: ["low", "high"],
    isRequired: true });
  const risk = await fieldOf("Risk");
  await page.goto(`${url}${team}`);
  await page.waitForSelector(`[data-card="${gearbox}"]`);
  await page.locator("[data-column]:first-child .add .button").click();
  await page.waitForSelector(".add input:focus");
  await page.keyboard.type("Polish");
  await page.keyboard.press("Enter");
  await page.waitForSelector("#field-new-card-name");
  expect(await page.$eval("#field-new-card-name", (input) => input.value) === "Polish", "the typed name is gone");
  await page.locator("dialog .primary").click();
  await page.waitForFunction(() => document.querySelector("dialog").innerText.includes("Risk is required"));
  await look("fields-required");
  await choose(page, `[id="field-fields.${risk}"]`, "high");
  await send();
  await see(`${key}-3`);
  await becomes("the emptied field", () => page.$eval(".add input", (input) => input.value), "");

  // An archived field stays on cards that have a value, to be cleared alone.
  await page.goto(settings);
  await act("Stock", "Archive");
  await becomes("the archived field", fields, "Weight Number · from 0 kg|Risk Single select · low, high · required|"
    + "Stock archived Single select · Steel, Brass");
  await page.goto(`${url}/projects/${project}/cards/${key}-2`);
  await page.waitForSelector(`#field-card-${weight}`);
  expect(await page.$(`[data-field="${material}"]`) === null, "an archived field is on a card without a value");
  await page.goto(`${url}/projects/${project}/cards/${key}-1`);
  await see("Stock (archived)");
  await look("fields-archived");
  await press("Clear Stock");
  await see("removed Stock");
  await page.waitForFunction((id) => !document.querySelector(`[data-field="${id}"]`), {}, material);

  // A field that cards have values of can't be deleted; one without goes.
  await page.goto(settings);
  await act("Weight", "Delete");
  await send();
  await see("Cards have values of Weight");
  await act("Stock", "Delete");
  await send();
  await becomes("the fields without the deleted one", fields,
    "Weight Number · from 0 kg|Risk Single select · low, high · required");
});
