// Custom fields of objects: defined in the settings for objects of a type, set on an object's page, undone, refused by
// their bounds, and marked where a value no longer fits.

import { becomes, choose, expect, expected, given, run } from "./driver.mjs";
import { callerOf, signIn } from "./service.mjs";

const [link, , project] = given;
const url = new URL(link).origin;

run(async ({ page, see, press, look }) => {
  await signIn(page, link);
  const call = callerOf(page);
  const closed = () => page.waitForFunction(() => !document.querySelector("dialog"));
  const send = async () => {
    await page.locator("dialog .primary").click();
    await closed();
  };
  const undo = async () => {
    await page.evaluate(() => document.activeElement.blur());
    await page.keyboard.down("Control");
    await page.keyboard.press("z");
    await page.keyboard.up("Control");
  };
  const object = async (name, type) =>
    (await call("POST", `/projects/${project}/objects`, { name, type, data: { teeth: 20 } })).object.id;
  const facts = () => page.$$eval("[aria-labelledby=own-fields] dt", (names) => names.map((name) =>
    `${name.textContent}: ${name.nextElementSibling.textContent}`).join("|"));
  const open = async (id) => {
    await page.goto(`${url}/projects/${project}?object=${id}`);
    await page.waitForSelector("#own-fields");
  };

  // A mass of parts alone, and a risk of all objects; both are no fields of cards.
  const gear = await object("Gear", "Part");
  await page.goto(`${url}/projects/${project}/settings`);
  await press("New field");
  await page.waitForSelector("#field-field-name");
  await page.locator("#field-field-name").fill("Mass");
  await choose(page, "#field-type", "Number");
  await page.locator("#field-unit").fill("kg");
  await page.locator("#field-maximum").fill("20");
  await choose(page, "#field-appliesTo", "Objects");
  await page.locator("#field-objectType").fill("Part");
  await look("object-fields-form");
  await send();
  await see("Mass");
  await call("POST", `/projects/${project}/fields`, { name: "Risk", type: "choice", options: ["low", "high"],
    defaultValue: "low", appliesTo: "objects" });
  const { fields } = await call("GET", `/projects/${project}/fields`);
  const idOf = (wanted) => fields.find(({ name }) => name === wanted).id;
  const [mass, risk] = [idOf("Mass"), idOf("Risk")];

  // The object that was there before the fields has no values; they are set in a dialog, and undone together.
  await open(gear);
  await becomes("the values of the older object", facts, "Mass: None|Risk: None");
  await press("Edit fields");
  await page.waitForSelector(`[id="field-fields.${mass}"]`);
  await page.locator(`[id="field-fields.${mass}"]`).fill("2.5");
  await choose(page, `[id="field-fields.${risk}"]`, "high");
  await look("object-fields-dialog");
  await send();
  await becomes("the values", facts, "Mass: 2.5 kg|Risk: high");
  await look("object-fields");
  expect(await page.$eval("[aria-labelledby=properties] dl", (one) => !one.innerText.includes("2.5")),
    "a value is among the other properties");
  await undo();
  await becomes("the values after the undo", facts, "Mass: None|Risk: None");

  // What a field doesn't take is refused by its name, and stays typed.
  await press("Edit fields");
  await page.waitForSelector(`[id="field-fields.${mass}"]`);
  await page.locator(`[id="field-fields.${mass}"]`).fill("21");
  expected.push("400");
  await page.locator("dialog .primary").click();
  await page.waitForFunction(() => document.querySelector("dialog")?.innerText.includes("Mass must be at most 20"));
  expect(await page.$eval(`[id="field-fields.${mass}"]`, (input) => input.value) === "21", "the typed value is gone");
  await look("object-fields-refused");
  await page.locator(`[id="field-fields.${mass}"]`).fill("12");
  await send();
  await becomes("the value within the bounds", facts, "Mass: 12 kg|Risk: None");
  await becomes("the values that the service has", async () => JSON.stringify(
    (await call("GET", `/projects/${project}/objects/${gear}`)).object.data.fields), JSON.stringify({ [mass]: 12 }));

  // The page of an object of another type has the field of all alone, with its default.
  const note = await object("Note", "Note");
  await open(note);
  await becomes("the values of the note", facts, "Risk: low");

  // A value that was allowed when it was written stays, and is marked.
  await call("PATCH", `/projects/${project}/fields/${mass}`, { maximum: 10 });
  await open(gear);
  await becomes("the value that no longer fits", facts, "Mass: 12 kgNo longer fits the field|Risk: None");
  await look("object-fields-misfit");
  await call("PATCH", `/projects/${project}/fields/${mass}`, { status: "archived" });
  await open(gear);
  await becomes("the value of the archived field", facts, "Mass (archived): 12 kg|Risk: None");
});
