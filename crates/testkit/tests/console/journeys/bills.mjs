// Counts parts: those of a dropped design, of an assembly by hand and of a large one; folds, finds, sorts and saves the
// bill, and finds where a part is used.

import { mkdtempSync, readFileSync, readdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { becomes, expect, expected, given, run, until } from "./driver.mjs";
import { callerOf, dropOn, signIn } from "./service.mjs";

const [link, org, file] = given;
const url = new URL(link).origin;
/** Assemblies of the large project, each with as many parts. */
const [ASSEMBLIES, PARTS] = [20, 100];

const part = (id, material) => ({ type: "Part", data: { definition: { id, name: id.toLowerCase() }, material } });
const create = (name, parent, more) => ({ op: "create", name, ...(parent ? { parent } : {}), ...more });
const assembly = (ref, name, parent) =>
  create(name, parent, { ref, type: "Assembly", data: { definition: { name } } });

/** A pump: two pairs of two bolts, and a bolt more. */
const PUMP = [assembly("pump", "pump"), assembly("a", "pair", "#pump"), assembly("b", "pair", "#pump"),
  ...["#a", "#a", "#b", "#b", "#pump"].map((parent) => create("bolt", parent, part("BOLT", "steel"))),
  create("cover", "#pump", part("COVER", "brass"))];

run(async ({ page, see, press, look, path }) => {
  await signIn(page, link);
  const call = callerOf(page);
  const project = async (name) => (await call("POST", "/projects", { name, orgId: org })).id;
  const batch = (id, operations) => call("POST", `/projects/${id}/objects/batch`, { operations });
  /** The rows in the page: name, quantity and total, with a mark of those that are folded. */
  const rows = () => page.$$eval(".bom-page .grid-rows .grid-row", (all) => all.map((row) =>
    [row.querySelector(".bom-name").innerText.trim(), ...[...row.querySelectorAll(".bom-quantity")]
      .map((cell) => cell.innerText), ...(row.ariaExpanded === "false" ? ["…"] : [])].join(" ")).join(", "));

  // A project without parts says what belongs there.
  const id = await project("Pump");
  await page.goto(`${url}/projects/${id}/bom`);
  await see("A bill counts the parts of designs.");
  await look("bill-empty");

  // A dropped design has a bill, which its own page leads to.
  await page.goto(`${url}/projects/${id}`);
  await see("Select an object");
  await dropOn(page, await page.waitForSelector(".tree"), [file]);
  await see("1 file uploaded.");
  const { tree } = await call("GET", `/projects/${id}/tree`);
  const design = tree.find((node) => node.file);
  await page.goto(`${url}/projects/${id}?object=${design.id}`);
  await page.locator(".object .heading a[href*='/bom']").click();
  await becomes("the bill of the design", rows, "assembly 1 1, part 3 3");
  expect(page.url().includes(`root=${design.id}`), `the bill of the design is at ${page.url()}`);
  await see("2 rows · 3 pieces in all");
  await becomes("a picture in a row", () => page.$$eval(".bom-name img", (pictures) => pictures.length > 0), true);
  await look("bill-design");

  // What others make appears. Below the first level rows are folded, and keys unfold them.
  await page.goto(`${url}/projects/${id}/bom`);
  await becomes("the bill of the project with the design", rows, "assembly 1 1, part 3 3");
  await batch(id, PUMP);
  const folded = "assembly 1 1, part 3 3, pump 1 1, pair 2 2 …, bolt 1 1, cover 1 1";
  await becomes("the bill of the project with the pump", rows, folded);
  await page.keyboard.press("j");
  for (let step = 0; step < 3; step += 1) await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowRight");
  await becomes("the bolts in each pair, and in all", rows, folded.replace("pair 2 2 …", "pair 2 2, bolt 2 4"));
  await look("bill-unfolded");
  await page.keyboard.press("ArrowLeft");
  await becomes("the folded bill", rows, folded);
  await press("Expand all");
  await becomes("the unfolded bill", rows, folded.replace("pair 2 2 …", "pair 2 2, bolt 2 4"));

  // A row is found by its material, with the assemblies above it.
  await page.locator(".bom-page .search input").fill("brass");
  await becomes("what is made of brass", rows, "pump 1 1, cover 1 1");
  await page.locator(".bom-page .search input").click({ count: 3 });
  await page.keyboard.press("Backspace");

  // The parts list has each part once. It is sorted by its headings, and saved as it is counted.
  await page.locator("[data-form=flat]").click();
  await becomes("the parts list", rows, "part 3, bolt 5, cover 1");
  await page.locator("::-p-xpath(//*[@role='columnheader']/button[.='Quantity'])").click();
  await becomes("the parts list by quantity", rows, "cover 1, part 3, bolt 5");
  await look("bill-flat");
  const folder = mkdtempSync(join(tmpdir(), "bill-"));
  const cdp = await page.createCDPSession();
  await cdp.send("Browser.setDownloadBehavior",
    { behavior: "allow", downloadPath: folder, browserContextId: page.browserContext().id });
  await press("Download as CSV");
  const saved = () => readdirSync(folder).find((name) => name.endsWith(".csv"));
  await until(saved, "the saved bill");
  const lines = readFileSync(join(folder, saved()), "utf8").trim().split("\r\n");
  expect(lines.length === 4 && lines.some((line) => line.startsWith("0,bolt,Part,BOLT,,5,5,")), `saved: ${lines}`);

  // Columns are chosen by name, and are there after a reload.
  await press("Columns");
  await page.waitForSelector("[popover] input:focus");
  await page.keyboard.type("/data/definition/id");
  await page.keyboard.press("Enter");
  const headings = () => page.$$eval(".grid-head [role=columnheader]", (all) => all.map((one) => one.innerText).join());
  const chosen = "Item,Name,Quantity,Part number,Material,definition/id,File";
  await becomes("the columns", headings, chosen);
  await page.reload();
  await becomes("the columns after a reload", headings, chosen);

  // A part's page says where it is used, in other projects, too.
  const other = await project("Press");
  await batch(other, [assembly("press", "press"), create("bolt", "#press", part("BOLT", "steel"))]);
  await page.locator("::-p-xpath(//*[contains(@class, 'bom-name')]/a[.='bolt'])").click();
  await page.waitForFunction((wanted) => location.pathname === wanted, {}, `/projects/${id}`);
  await page.locator(".where-used summary").click();
  await see("2 in each of 2");
  await see("4 in all");
  if (await page.$(".uses > .button")) await press("Search more projects");
  await page.waitForFunction((wanted) => document.querySelector(`.uses a[href*="${wanted}"]`), {}, other);
  await look("bill-uses");
  expect(path() === `/projects/${id}`, `at ${path()}`);

  // Of a large bill the rows near the viewport are in the page, and the last one is a key away.
  const large = await project("Machine");
  for (let at = 0; at < ASSEMBLIES; at += 1) {
    await batch(large, [assembly("a", `module ${at}`), ...Array.from({ length: PARTS }, (_, one) =>
      create(`part ${one}`, "#a", part(`P-${at}-${one}`, "steel")))]);
  }
  await page.goto(`${url}/projects/${large}/bom`);
  await see("2,020 rows · 2,000 pieces in all");
  await page.focus(".bom-page .grid");
  await page.keyboard.press("End");
  await see("p-19-99");
  const drawn = await page.$$eval(".bom-page .grid-row", (all) => all.length);
  expect(drawn < 100, `${drawn} rows are in the page`);

  // A design that is gone is not shown as empty.
  expected.push(`root=${design.id}`);
  await page.goto(`${url}/projects/${large}/bom?root=${design.id}`);
  await see("This doesn't exist, or you don't have access.");
});
