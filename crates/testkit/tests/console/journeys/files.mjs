// Works on files: drops a folder, goes on after a reload, edits the tree, replaces a file, and looks at hostile content.

import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { HOSTILE, expect, expected, given, run } from "./driver.mjs";
import { callerOf, clickRow, dropOn, rowOf, signIn } from "./service.mjs";

const [link, org] = given;
const url = new URL(link).origin;
const PDF = `%PDF-1.4
1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj
2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj
3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 200 100]/Contents 4 0 R/Resources<<>>>>endobj
4 0 obj<</Length 35>>stream
0.2 0.4 0.9 rg 20 20 160 60 re f   
endstream endobj
trailer<</Root 1 0 R/Size 5>>
%%EOF
`;
const SVG = `<svg xmlns="http://www.w3.org/2000/svg" width="80" height="80" onload="globalThis.broken=1">
<script>globalThis.broken=1; parent.broken=1</script><rect width="80" height="80" fill="teal"/>
<image href="https://example.com/spy.png" width="9" height="9"/><foreignObject><b onclick="broken=1">b</b></foreignObject></svg>`;

run(async ({ page, see, press, look, path }) => {
  await signIn(page, link);
  const call = callerOf(page);
  const { id } = await call("POST", "/projects", { name: "Gearbox", orgId: org });
  await page.goto(`${url}/projects/${id}`);
  await see("Select an object");
  const row = (name) => rowOf(page, name);
  const choose = async (name) => {
    await clickRow(page, name);
    await page.waitForFunction((wanted) => document.querySelector(".object h2")?.textContent === wanted, {}, name);
  };

  // A folder made by its key, and a folder of the disk dropped onto it.
  await page.focus("[role=tree]");
  await page.keyboard.press("n");
  await page.locator("#field-name").fill("Drawings");
  await page.locator("dialog .primary").click();
  await row("Drawings");
  const folder = mkdtempSync(join(tmpdir(), "console-"));
  mkdirSync(join(folder, "wheels/spur"), { recursive: true });
  writeFileSync(join(folder, "wheels/teeth.py"), "# Teeth of a wheel\ndef teeth(module):\n    return 24 if module > 1 else \"many\"\n");
  writeFileSync(join(folder, "wheels/spur/note.txt"), "Spur gears\n");
  writeFileSync(join(folder, "wheels/spur/evil.svg"), SVG);
  writeFileSync(join(folder, "wheels/sheet.pdf"), PDF);
  writeFileSync(join(folder, "wheels", "<b onclick=broken()>x"), "markup in a name\n");
  const lit = await dropOn(page, (await row("Drawings")).asElement(), [join(folder, "wheels")]);
  expect(lit === "Drawings", `the folder that is lit is ${lit}`);
  await see("5 files uploaded.");
  await page.locator(".status summary").click();
  await see("wheels/spur/note.txt");
  const { tree } = await call("GET", `/projects/${id}/tree`);
  const pathOf = (node) => { const above = tree.find((one) => one.id === node.parent); return (above ? `${pathOf(above)}/` : "") + node.name; };
  const paths = tree.map(pathOf);
  for (const wanted of ["Drawings/wheels/spur/note.txt", "Drawings/wheels/teeth.py"]) {
    expect(paths.includes(wanted), `no ${wanted} in ${paths}`);
  }
  await choose("note.txt");
  await see("Spur gears");
  await choose("evil.svg");
  await page.waitForFunction(() => document.querySelector(".object img.picture")?.naturalWidth === 80);
  expect(await page.$$eval(".object svg rect, .object foreignObject", (found) => found.length) === 0, "the SVG is in the page");
  await look("files");
  await choose("teeth.py");
  await page.waitForSelector(".object .t-keyword");
  expect(await page.$$eval(".object .code .line", (lines) => lines.length) >= 3, "lines of code");
  await look("code");
  await choose("sheet.pdf");
  await page.waitForFunction(() => document.querySelector(".pages img")?.naturalWidth > 0);
  await look("document");

  // A large file goes on after a reload with the pieces that are missing.
  expected.push("ERR_FAILED", "net::ERR");
  const large = join(folder, "block.bin");
  writeFileSync(large, Buffer.alloc(9_000_000, 7));
  let pieces = 0;
  let hold = true;
  const count = (request) => {
    if (request.method() === "PATCH" && request.url().includes("/resumable/")) pieces += 1;
    if (hold && pieces === 2 && request.method() === "PATCH") return;
    request.continue().catch(() => {});
  };
  await page.setRequestInterception(true);
  page.on("request", count);
  await (await page.$("input[type=file]")).uploadFile(large);
  await see("Uploading block.bin: 46 %");
  hold = false;
  await page.reload();
  await see("The upload of block.bin was interrupted.");
  pieces = 0;
  await (await page.$("input[type=file]")).uploadFile(large);
  await page.waitForFunction(() => document.querySelector(".object h2")?.textContent === "block.bin");
  page.off("request", count);
  await page.setRequestInterception(false);
  // The second piece may arrive although its answer is lost.
  expect(pieces === 1 || pieces === 2, `${pieces} pieces were sent after the reload`);
  expect(!(await page.evaluate(() => document.body.innerText)).includes("interrupted"), "the reminder stays");

  // Edits: shown at once, and taken back with the reason.
  await page.focus("[role=tree]");
  await page.keyboard.press("F2");
  await page.locator("#field-name").fill(HOSTILE);
  await page.locator("dialog .primary").click();
  await page.waitForFunction((wanted) => [...document.querySelectorAll(".tree-row .name")].some((one) => one.textContent === wanted), {}, HOSTILE);
  expected.push("409");
  await clickRow(page, "Model");
  await page.focus("[role=tree]");
  await page.keyboard.press("e");
  await page.locator("#field-name").fill("Not the model");
  await page.locator("dialog .primary").click();
  await see("Model stays as it was");
  await row("Model");
  await page.locator(".toast.bad button").click();
  await call("POST", `/projects/${id}/objects`, { name: "From elsewhere", type: "Part" });
  await row("From elsewhere");
  expect(await page.$eval(".tree-row[aria-selected=true] .name", (one) => one.textContent) === "Model", "the selection is lost");
  await choose("From elsewhere");
  await press("Move");
  await page.evaluate(() => {
    const list = document.querySelector("#field-into");
    list.value = [...list.options].find((one) => one.textContent === "Drawings").value;
  });
  await page.locator("dialog .primary").click();
  await page.waitForFunction(() => [...document.querySelectorAll(".tree-row")].some((one) =>
    one.querySelector(".name").textContent === "From elsewhere" && one.getAttribute("aria-level") === "2"));
  await press("Edit");
  await page.locator("#field-json").fill("{ teeth: }");
  await page.locator("dialog .primary").click();
  await see("This is no JSON object.");
  await page.locator("#field-json").fill('{"teeth": 24}');
  await page.locator("dialog .primary").click();
  await page.waitForFunction(() => document.querySelector(".properties + *, .object .code")?.textContent.includes("24"));
  await page.focus("[role=tree]");
  await page.keyboard.down("Shift");
  await page.keyboard.press("F10");
  await page.keyboard.up("Shift");
  await page.waitForSelector("[role=menu]");
  await look("menu");
  await page.keyboard.press("End");
  await page.keyboard.press("Enter");
  await see("Delete From elsewhere?");
  await page.locator("dialog .primary").click();
  await see("Deleted.");

  // A new version of a file, and the one before.
  await page.goto(`${url}/projects/${id}?object=${tree.find(({ name }) => name === "note.txt").id}`);
  await see("Spur gears");
  const newer = join(folder, "note.txt");
  writeFileSync(newer, "Spur gears, hardened\n");
  await (await page.$("input[data-replace]")).uploadFile(newer);
  await see("Spur gears, hardened");
  await press("Commit");
  await page.locator("#field-message").fill("Harden the gears");
  await page.locator("dialog .primary").click();
  await see("All changes are committed.");
  await page.locator(".object details summary").click();
  await page.waitForFunction(() => document.querySelector(".versions")?.textContent.includes("Harden the gears"));
  await press("Clone");
  await see(`/git/`);
  await page.keyboard.press("Escape");
  expect(path() === `/projects/${id}`, `at ${path()}`);
});
