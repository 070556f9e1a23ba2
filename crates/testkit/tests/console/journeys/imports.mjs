// Brings issues of Jira into a project: a wrong file, a trial, the import, its cards by their old keys, and a table of
// other columns, which are explained. Those who may not import are told so.

import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { becomes, choose, expect, expected, given, intercept, proceed, run } from "./driver.mjs";
import { boardOf, callerOf, dropOn, signIn } from "./service.mjs";

const [link, bobLink, org, bob, file] = given;
const url = new URL(link).origin;
const folder = mkdtempSync(join(tmpdir(), "imports-"));

/** Writes a file to import. */
function written(name, content) {
  const at = join(folder, name);
  writeFileSync(at, content);
  return at;
}

run(async ({ page, see, press, follow, look, path }, person) => {
  await signIn(page, link);
  const call = callerOf(page);
  const { project, place } = await boardOf(call, org, { team: "Makers", project: "Press", columns: ["To do", "Done"] });
  const names = async () => (await call("GET", `/projects/${project}/cards?limit=100`)).cards.map(({ name }) => name)
    .sort().join();
  const address = `/projects/${project}/cards/import`;
  const give = async (at) => (await page.waitForSelector("#field-file")).uploadFile(at);
  const figures = () => page.$$eval(".import-outcome .figures > div", (all) =>
    all.map((one) => `${one.querySelector("dt").textContent} ${one.querySelector("dd").textContent}`).join());
  const numbers = (issues, comments, relations, created, existing) =>
    `Issues ${issues},Comments ${comments},Relations ${relations},${created},Already here ${existing}`;
  const focused = () => page.evaluate(() => document.activeElement.id);

  // The table of the team's cards leads to the page.
  await page.goto(`${url}${place}/cards`);
  await follow("Import");
  await see("Import cards");
  expect(path() === address, `the table leads to ${path()}`);
  await look("import-empty");

  // No file, and a file that isn't one of the tool: both are said at the field, which has the focus.
  await press("Try");
  await see("Choose a file first.");
  await becomes("the focus without a file", focused, "field-file");
  expected.push("400");
  await give(written("other.csv", "a,b\n1,2\n"));
  await press("Try");
  await see("File can't be read: not an export of this tool");
  await becomes("the focus with another file", focused, "field-file");
  await look("import-refused");

  // A dropped file is tried: nothing is made, and all that would change is told.
  await dropOn(page, await page.waitForSelector(".import-file"), [file]);
  await page.locator("#field-zone").click();
  await page.waitForSelector(".menu:popover-open input:focus");
  await page.keyboard.type("Berlin");
  await page.keyboard.press("Enter");
  await page.waitForSelector("#field-zone[data-value='Europe/Berlin']");
  await press("Try");
  await see("Nothing was made.");
  await becomes("the focus after the trial", focused, "outcome");
  await becomes("the numbers of the trial", figures, numbers(3, 2, 2, "To be created 3", 0));
  await page.waitForFunction(() => [...document.querySelectorAll(".import-outcome tbody tr")]
    .some((row) => row.innerText.includes("GEAR-3") && row.innerText.includes("Created")));
  expect(await names() === "", `a trial made ${await names()}`);
  await look("import-trial");

  // What is chosen in another way has had no trial.
  await choose(page, "#field-tool", "Linear");
  await page.waitForFunction(() => !document.querySelector(".import-outcome .heading button"));
  await choose(page, "#field-tool", "Jira");
  await press("Try");
  await page.waitForFunction(() => document.querySelectorAll(".import-row").length === 2);

  // The import runs on, also while the page is slow to hear of it.
  const held = [];
  const isOfOne = (request) => /\/imports\/[0-9a-f-]+$/.test(request.url());
  const release = await intercept(page, (request) => isOfOne(request) && held.push(request));
  await press("Import");
  await see("You can leave this page: the import goes on.");
  await look("import-running");
  await release();
  for (const request of held) await proceed(request);
  await see("The import is done.");
  await becomes("the numbers of the import", figures, numbers(3, 2, 2, "Created 3", 0));
  await becomes("the cards", names, "Gearbox,Key,Shaft");
  await look("import-done");

  // A person who comes back sees the last import, and those before at their addresses.
  await page.goto(url + address);
  await see("The import is done.");
  await page.waitForFunction(() => document.querySelectorAll(".import-row").length === 3);
  const own = await page.$eval(".import-row[aria-current]", (row) => row.getAttribute("href"));
  await page.locator("li:last-child > .import-row").click();
  await see("Nothing was made.");
  await becomes("the numbers of the first trial", figures, numbers(3, 2, 2, "To be created 3", 0));
  await page.goBack();
  await see("The import is done.");

  // Open cards are in the backlog; the search finds all by the keys that they had.
  await follow("Backlog of Makers");
  await becomes("the cards in the backlog", () => page.$$eval(".plan-card", (cards) =>
    cards.map((card) => card.textContent).sort().join()), "Gearbox,Key");
  await page.keyboard.press("/");
  await page.waitForSelector(".palette input");
  await page.keyboard.type("gear-2");
  await page.waitForFunction(() => document.querySelector(".palette [role=option]")?.textContent.includes("Shaft"));
  await page.keyboard.press("Enter");
  await page.waitForSelector("[data-panel]");
  expect(path().startsWith(`/projects/${project}/cards/`), `the search leads to ${path()}`);
  await see("Imported from Jira: GEAR-2");
  await page.goto(`${url}/projects/${project}/cards/GEAR-2`);
  await see("Imported from Jira: GEAR-2");

  // A repeat makes nothing.
  await page.goto(url + address);
  await give(file);
  await press("Try");
  await becomes("the numbers of a repeat", figures, numbers(3, 2, 2, "To be created 0", 3));

  // Of a table a person says what the columns mean, as far as their names don't.
  await choose(page, "#field-tool", "Another table (CSV)");
  await give(written("table.csv", "Nr;What;Torque\n1;\"Turn; the shaft\";12\n"));
  const meanings = () => page.$$eval(".import-columns li", (rows) =>
    rows.map((row) => row.innerText.replace(/\s+/g, " ").trim()).join());
  await becomes("the columns of the table", meanings, "Nr Lasting ID,What Kept as text,Torque Kept as text");
  await press("Try");
  await see("Choose which column has the names of the cards.");
  await becomes("the focus without names", focused, "field-columns");
  await look("import-columns");
  await choose(page, "[aria-label='Meaning of What: Kept as text']", "Name");
  await press("Try");
  await becomes("the numbers of the table", figures, numbers(1, 0, 0, "To be created 1", 0));
  await press("Import");
  await see("The import is done.");
  await becomes("the cards with that of the table", names, "Gearbox,Key,Shaft,Turn; the shaft");

  // A viewer reads that cards can't be imported, and sees nothing of imports of others.
  await call("PUT", `/projects/${project}/members/${bob}`, { role: "viewer" });
  const viewer = await person();
  await signIn(viewer.page, bobLink);
  expected.push("403");
  await viewer.page.goto(url + own);
  await viewer.see("You can read this project, and not write cards.");
  await viewer.see("someone else began it");
  expect(await viewer.page.$("#field-file") === null, "a viewer is asked for a file");
  await viewer.look("import-viewer");

  // A person's own project has no imports.
  const { id } = await call("POST", "/projects", { name: "Alone" });
  await page.goto(`${url}/projects/${id}/cards/import`);
  await see("This project belongs to a person");
  await look("import-personal");
});
