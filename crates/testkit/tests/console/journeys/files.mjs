// Works on files: drops a folder, goes on after a reload, edits the tree, replaces a file, and looks at hostile
// content.

import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { HOSTILE, becomes, expect, expected, given, intercept, proceed, run } from "./driver.mjs";
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
<image href="https://example.com/spy.png" width="9" height="9"/>`
  + `<foreignObject><b onclick="broken=1">b</b></foreignObject></svg>`;

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
  writeFileSync(join(folder, "wheels/teeth.py"),
    "# Teeth of a wheel\ndef teeth(module):\n    return 24 if module > 1 else \"many\"\n");
  writeFileSync(join(folder, "wheels/spur/note.txt"), "Spur gears\n");
  writeFileSync(join(folder, "wheels/spur/evil.svg"), SVG);
  writeFileSync(join(folder, "wheels/sheet.pdf"), PDF);
  writeFileSync(join(folder, "wheels", "<b onclick=broken()>x"), "markup in a name\n");
  for (const name of ["f13.txt", "f5.txt", "f65.txt"]) writeFileSync(join(folder, "wheels", name), name);
  writeFileSync(join(folder, "wheels/nothing.txt"), "");
  writeFileSync(join(folder, "wheels/broken.pdf"), "%PDF-1.4\nno document\n");
  writeFileSync(join(folder, "wheels/module_koi8_r.py"),
    Buffer.concat([Buffer.from("# -*- coding: koi8-r -*-\nname = '"), Buffer.from([0xcd, 0xcf, 0xc4, 0xd5, 0xcc, 0xd8]),
      Buffer.from("'\n")]));
  // There is no picture of a document that is damaged.
  expected.push("/thumbnail?");
  const lit = await dropOn(page, (await row("Drawings")).asElement(), [join(folder, "wheels")]);
  expect(lit === "Drawings", `the folder that is lit is ${lit}`);
  await see("11 files uploaded.");
  await page.locator(".status summary").click();
  await see("wheels/spur/note.txt");
  const { tree } = await call("GET", `/projects/${id}/tree`);
  const pathOf = (node) => {
    const above = tree.find((one) => one.id === node.parent);
    return (above ? `${pathOf(above)}/` : "") + node.name;
  };
  const paths = tree.map(pathOf);
  for (const wanted of ["Drawings/wheels/spur/note.txt", "Drawings/wheels/teeth.py"]) {
    expect(paths.includes(wanted), `no ${wanted} in ${paths}`);
  }
  await choose("note.txt");
  await see("Spur gears");
  await choose("evil.svg");
  await page.waitForFunction(() => document.querySelector(".object img.picture")?.naturalWidth === 80);
  expect(await page.$$eval(".object svg rect, .object foreignObject", (found) => found.length) === 0,
    "the SVG is in the page");
  await look("files");
  await choose("teeth.py");
  await page.waitForSelector(".object .t-keyword");
  expect(await page.$$eval(".object .code .line", (lines) => lines.length) >= 3, "lines of code");
  await look("code");
  await choose("sheet.pdf");
  await page.waitForFunction(() => document.querySelector(".pages img")?.naturalWidth > 0);
  await look("document");

  // A file in its own encoding, one without content, and one that can't be read, with the reason.
  await choose("module_koi8_r.py");
  await see("модуль");
  await choose("nothing.txt");
  await see("The file is empty.");
  await choose("broken.pdf");
  await see("The file couldn't be imported: the PDF is damaged and can't be read.");
  await see("Download it to open it.");
  await look("unread");

  // Folders come first, then files by name, with numbers as people count.
  const inWheels = await page.$$eval(".tree-row[aria-level='3'] .name", (names) => names.map((one) => one.textContent));
  expect(inWheels.join()
    === "spur,<b onclick=broken()>x,broken.pdf,f5.txt,f13.txt,f65.txt,module_koi8_r.py,nothing.txt,sheet.pdf,teeth.py",
    `the files are in the order ${inWheels}`);

  // A failed import is marked in the tree, and a folder's page lists what is in it.
  await page.waitForFunction(() => [...document.querySelectorAll(".tree-row")].some((one) =>
    one.querySelector(".name").textContent === "broken.pdf" && one.querySelector(".change.failed")));
  await choose("Drawings");
  await page.waitForFunction(() => document.querySelector(".inside .name")?.textContent === "wheels");

  // What was never committed is lost by a deletion, which is told before.
  await press("Delete");
  await see("None of them was ever committed: they can't be restored.");
  await look("delete-uncommitted");
  await page.keyboard.press("Escape");

  // A new folder goes into what is selected, if that may hold it.
  await choose("Library");
  await see("into \u2068Library\u2069");
  await press("New folder");
  await see("New folder in Library");
  await page.locator("#field-name").fill("Screws");
  await page.locator("dialog .primary").click();
  await row("Screws");
  const { tree: grown } = await call("GET", `/projects/${id}/tree`);
  const screws = grown.find(({ name }) => name === "Screws");
  expect(grown.find((one) => one.id === screws.parent)?.name === "Library", "the new folder is not in the Library");

  // A large file goes on after a reload with the pieces that are missing.
  expected.push("ERR_FAILED", "net::ERR");
  const large = join(folder, "block.bin");
  writeFileSync(large, Buffer.alloc(9_000_000, 7));
  let pieces = 0;
  let hold = true;
  const release = await intercept(page, (request) => {
    if (request.method() === "PATCH" && request.url().includes("/resumable/")) pieces += 1;
    return hold && pieces === 2 && request.method() === "PATCH";
  });
  await (await page.$("input[type=file]")).uploadFile(large);
  await see("Uploading block.bin: 46 %");
  hold = false;
  let asked = 0;
  const stay = (dialog) => {
    asked += 1;
    return dialog.accept();
  };
  page.on("dialog", stay);
  await page.reload();
  expect(asked === 1, `the browser asked ${asked} times whether to leave the upload`);
  await see("The upload of block.bin was interrupted.");
  pieces = 0;
  await (await page.$("input[type=file]")).uploadFile(large);
  await page.waitForFunction(() => document.querySelector(".object h2")?.textContent === "block.bin");
  page.off("dialog", stay);
  await release();
  // The second piece may arrive although its answer is lost.
  expect(pieces === 1 || pieces === 2, `${pieces} pieces were sent after the reload`);
  expect(!(await page.evaluate(() => document.body.innerText)).includes("interrupted"), "the reminder stays");

  // Edits: shown at once, and taken back with the reason.
  await page.focus("[role=tree]");
  await page.keyboard.press("F2");
  await page.locator("#field-name").fill(HOSTILE);
  await page.locator("dialog .primary").click();
  await page.waitForFunction((wanted) =>
    [...document.querySelectorAll(".tree-row .name")].some((one) => one.textContent.replace("\u202e", "") === wanted),
  {}, HOSTILE.replace("\u202e", ""));
  expected.push("409");
  await clickRow(page, "Model");
  await page.focus("[role=tree]");
  await page.keyboard.press("e");
  await page.locator("#field-name").fill("Not the model");
  await page.locator("dialog .primary").click();
  await see("Model wasn't changed");
  await row("Model");
  await page.locator(".toast.bad button").click();
  await call("POST", `/projects/${id}/objects`, { name: "From elsewhere", type: "Part" });
  await row("From elsewhere");
  await becomes("the selection is lost",
    () => page.$eval(".tree-row[aria-selected=true] .name", (one) => one.textContent), "Model");
  await choose("From elsewhere");
  await press("Move");
  // Places are found by their paths; files hold nothing.
  const offered = () => page.$$eval("#field-into option", (options) => options.map((one) => one.textContent));
  expect((await offered()).includes("spur") && !(await offered()).includes("teeth.py"),
    `the places are ${await offered()}`);
  await look("move");
  await page.locator("#field-find-into").fill("drawings");
  expect((await offered()).join() === "Drawings,Drawings / wheels,Drawings / wheels / spur",
    `found are ${await offered()}`);
  await look("move-found");
  await page.evaluate(() => {
    const list = document.querySelector("#field-into");
    list.value = [...list.options].find((one) => one.textContent === "Drawings").value;
  });
  await page.locator("dialog .primary").click();
  await page.waitForFunction(() => [...document.querySelectorAll(".tree-row")].some((one) =>
    one.querySelector(".name").textContent === "From elsewhere" && one.getAttribute("aria-level") === "2"));

  // New files go into the folder of a part, never into the part. An object leads to cards, and to new ones about it.
  await see("into \u2068Drawings\u2069");
  await press("New card about this");
  await page.locator("#field-name").fill("Check the part from elsewhere");
  await page.locator("dialog .primary").click();
  await page.waitForFunction(() =>
    document.querySelector(".object .rows .name")?.textContent === "Check the part from elsewhere");

  // Properties: rows of names and values, and JSON for what is nested.
  const properties = () => page.$eval(".properties", (one) => one.innerText.replace(/\s+/g, " "));
  const fill = async (row, name, kind, value) => {
    const own = `.property-rows li:nth-child(${row})`;
    const choose = async (button, entry) => {
      await page.locator(`${own} ${button}`).click();
      await page.locator(`::-p-xpath(//*[@popover]//button[normalize-space()="${entry}"])`).click();
    };
    await page.locator(`${own} > input`).fill(name);
    await choose("> .role", { text: "Text", number: "Number", truth: "Yes or no" }[kind]);
    if (kind === "truth") await choose(".property-value .role", value);
    else await page.locator(`${own} .property-value input`).fill(value);
  };
  await press("Edit");
  await press("Add a property");
  await fill(1, "material", "text", "steel");
  await press("Add a property");
  await fill(2, "teeth", "number", "24");
  await press("Add a property");
  await fill(3, "teeth", "truth", "yes");
  await page.locator("dialog .primary").click();
  await see("Two properties are named teeth.");
  await fill(3, "hardened", "truth", "yes");
  await look("properties");
  await press("Edit as JSON");
  const json = JSON.parse(await page.$eval("#field-json", (box) => box.value));
  expect(json.teeth === 24 && json.hardened === true && json.material === "steel",
    `the rows are ${JSON.stringify(json)}`);
  await page.locator("#field-json").fill("{ teeth: }");
  await page.locator("dialog .primary").click();
  await see("This isn't a JSON object.");
  await page.locator("#field-json").fill(JSON.stringify({ ...json, holes: { count: 3 } }));
  await press("Edit as a list");
  await see('{"count":3}');
  await page.locator('.property-rows li:nth-child(1) [aria-label="Remove the property"]').click();
  await look("properties-nested");
  await page.locator("dialog .primary").click();
  await page.waitForFunction(() =>
    !document.querySelector("dialog")
    && /holes/.test(document.querySelector(".properties .facts")?.textContent ?? ""));
  await page.waitForFunction(() => /hardened yes holes › count 3 teeth 24/
    .test(document.querySelector(".properties").innerText.replace(/\s+/g, " ")));
  expect(!/steel/.test(await properties()), `the properties are ${await properties()}`);
  const { data } = (await call("GET",
    `/projects/${id}/objects/${new URL(page.url()).searchParams.get("object")}`)).object;
  expect(JSON.stringify(data) === '{"hardened":true,"holes":{"count":3},"teeth":24}',
    `the service has ${JSON.stringify(data)}`);
  // Only what was changed is sent: a number that stays is not written in another way.
  await page.evaluate(() => {
    globalThis.patches = [];
    const own = globalThis.fetch;
    globalThis.fetch = async (request) => {
      if (request.method === "PATCH") globalThis.patches.push(await request.clone().text());
      return own(request);
    };
  });
  await press("Edit");
  await page.locator(".property-rows li:nth-child(3) .property-value input").fill("25");
  await page.locator("dialog .primary").click();
  await page.waitForFunction(() =>
    !document.querySelector("dialog")
    && /25/.test(document.querySelector(".properties .facts")?.textContent ?? ""));
  const patches = await page.evaluate(() => globalThis.patches);
  expect(patches.join() === '{"data":{"teeth":25}}', `the change is sent as ${patches}`);
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
  await see("From elsewhere is deleted.");
  // A deletion can be taken back, by its message or by the key.
  await page.waitForFunction(() => !document.querySelector("dialog"));
  await press("Undo");
  await choose("From elsewhere");
  await press("Delete");
  await page.locator("dialog .primary").click();
  await see("From elsewhere is deleted.");

  // Closed folders tell what changed inside; steps lead back; keys go through the tree, and are listed.
  await page.goto(`${url}/projects/${id}`);
  await page.waitForFunction(() => [...document.querySelectorAll(".tree-row")].some((one) =>
    one.getAttribute("aria-expanded") === "false"
      && /•\d+ \d+ changes inside/.test(one.textContent.replace(/\s+/g, " "))));
  await becomes("the title", () => page.title(), "Files · Gearbox · Atelier");
  await choose("Drawings");
  await choose("Model");
  await page.goBack();
  await page.waitForFunction(() => document.querySelector(".object h2")?.textContent === "Drawings");
  await page.goBack();
  await see("Select an object");
  await page.keyboard.press("j");
  const first = await page.$eval(".tree-row[aria-selected=true] .name", (one) => one.textContent);
  await page.keyboard.press("j");
  await page.keyboard.press("k");
  await becomes("k does not go back", () => page.$eval(".tree-row[aria-selected=true] .name", (one) => one.textContent),
    first);
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => document.activeElement.matches(".object"));
  await page.keyboard.press("?");
  await see("Next object");
  await look("files-keys");
  await page.keyboard.press("Escape");

  // On a slow line the object is there at once, as far as the tree knows it.
  const held = [];
  const fast = await intercept(page, (request) => /\/objects\/[0-9a-f-]+$/.test(request.url()) && held.push(request));
  await clickRow(page, "Library");
  await page.waitForFunction(() => document.querySelector(".object h2")?.textContent === "Library");
  await see("Loading…");
  expect(await page.$eval(".object .facts", (facts) => facts.innerText.includes("Type")), "the type is not shown");
  await look("files-slow");
  await fast();
  for (const request of held) await proceed(request);
  await page.waitForFunction(() => document.querySelector(".object .properties"));

  // On a phone the object covers the tree, and a way leads back.
  await page.setViewport({ width: 390, height: 800 });
  await page.goto(`${url}/projects/${id}`);
  await clickRow(page, "Drawings");
  await page.waitForFunction(() => document.activeElement.matches(".object"));
  await becomes("the tree is not covered", () => page.$eval(".tree-place", (one) => getComputedStyle(one).visibility),
    "hidden");
  await press("All objects");
  await page.waitForFunction(() => document.activeElement.matches(".tree"));
  expect(!page.url().includes("object="), "the address keeps the object");
  await page.goForward();
  await page.waitForFunction(() => document.querySelector(".object h2")?.textContent === "Drawings");
  await page.setViewport({ width: 1400, height: 900 });

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
  await page.locator(".object .file-versions summary").click();
  await page.waitForFunction(() => document.querySelector(".versions")?.textContent.includes("Harden the gears"));

  // Versions of a text are read and compared here. Another new one is only as uncommitted as the change.
  writeFileSync(newer, "Spur gears, hardened twice\n");
  await (await page.$("input[data-replace]")).uploadFile(newer);
  await see("hardened twice");
  await page.locator(".object .file-versions summary").click();
  await page.waitForFunction(() => document.querySelectorAll(".versions li").length === 2);
  await press("Compare with the one before");
  await page.waitForFunction(() =>
    document.querySelector(".version-shown ins")?.textContent.includes("hardened twice"));
  await look("versions");
  await page.locator(".versions li:last-child .version-actions button").click();
  await page.waitForFunction(() =>
    document.querySelector(".version-shown .line")?.textContent.trim() === "Spur gears, hardened");
  await call("PATCH", `/projects/${id}/objects/${tree.find(({ name }) => name === "note.txt").id}`, { name: "note" });
  await page.waitForFunction(() => /File\s*note\.txt/.test(document.querySelector(".object .facts")?.innerText ?? ""));

  // Only what is new in a committed folder is lost with it.
  const before = await page.$eval(".changes", (state) => state.textContent);
  await call("POST", `/projects/${id}/objects`,
    { name: "New", type: "Part", parent: tree.find(({ name }) => name === "wheels").id });
  await page.waitForFunction((said) => document.querySelector(".changes").textContent !== said, {}, before);
  await row("Drawings");
  await choose("Drawings");
  await press("Delete");
  await see("1 of them was never committed and can't be restored.");
  await see("stay in the history.");
  await page.keyboard.press("Escape");

  // Code whose text was changed after its upload is shown as it is now, and leads to where it runs.
  const teeth = tree.find(({ name }) => name === "teeth.py").id;
  await call("PATCH", `/projects/${id}/objects/${teeth}`, { data: { text: "def teeth():\n    return 36\n" } });
  await page.goto(`${url}/projects/${id}?object=${teeth}`);
  await see("return 36");
  await see("Downloading gives the uploaded file.");
  await look("code-older");
  await press("Run…");
  await page.waitForFunction(() => document.querySelector("[name=code]")?.value.includes("return 36"));
  expect(path().endsWith("/executions"), `code runs at ${path()}`);
  // A link to an object far down scrolls there.
  const many = await call("POST", `/projects/${id}/objects/batch`, { operations: Array.from({ length: 200 }, (_, at) =>
    ({ op: "create", name: `Part ${at}`, type: "Part", data: {} })) });
  await page.goto(`${url}/projects/${id}?object=${many.results.at(-1).id}`);
  await page.waitForFunction(() => {
    const [row, place] = [".tree-row[aria-selected=true]", ".tree"].map((one) => document.querySelector(one));
    const [inner, outer] = [row, place].map((one) => one?.getBoundingClientRect());
    return inner && inner.top >= outer.top && inner.bottom <= outer.bottom && row.textContent.includes("Part 199");
  });
  await page.goto(`${url}/projects/${id}`);
  await press("Clone");
  await see(`/git/`);
  await page.keyboard.press("Escape");
  expect(path() === `/projects/${id}`, `at ${path()}`);

  // A search of projects is a step: the way back leads to all of them.
  await call("POST", "/projects", { name: "Clutch", orgId: org });
  await page.goto(`${url}/projects`);
  await see("Clutch");
  await page.locator(".search input").fill("gear");
  await page.waitForFunction(() => location.search === "?q=gear" && !document.body.innerText.includes("Clutch"));
  await page.goBack();
  await see("Clutch");
  expect(path() === "/projects" && (await page.$eval(".search input", (box) => box.value)) === "",
    "the search is not taken back");
  await page.evaluate(() => document.activeElement.blur());
  await page.keyboard.press("j");
  await page.keyboard.press("Enter");
  // The first row may be a card or a project.
  await page.waitForFunction(() => location.pathname !== "/projects");
});
