// Looks at a design: from the dropped file to its shape, a part that is picked, its picture, and what a new version of
// it has changed, in space and in its bill of materials.

import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { becomes, choose, expect, expected, given, run } from "./driver.mjs";
import { callerOf, clickRow, dropOn, signIn } from "./service.mjs";

const [link, org, file] = given;
const url = new URL(link).origin;

run(async ({ page, see, press, follow, look }) => {
  await signIn(page, link);
  const call = callerOf(page);
  const { id } = await call("POST", "/projects", { name: "Cubes", orgId: org });
  await page.goto(`${url}/projects/${id}`);
  await see("Select an object");
  await dropOn(page, await page.waitForSelector(".tree"), [file]);
  await see("1 file uploaded.");
  const { tree } = await call("GET", `/projects/${id}/tree`);
  const parts = tree.filter((node) => node.type === "Part");
  expect(parts.length === 3, `the design has ${parts.length} parts`);

  // The file shows its shape, with facts in its own unit; a small picture stands in its row.
  await clickRow(page, "assembly");
  await page.waitForSelector(".viewer[data-state=shown] canvas");
  await see("mm");
  await see("12 triangles");
  await becomes("a picture in a row", () => page.$$eval(".tree-row img", (pictures) => pictures.length > 0), true);

  // A row selects in the view.
  await clickRow(page, parts[0].name);
  await see(`Selected: ${parts[0].name}`);
  await page.waitForSelector(".viewer[data-state=shown] canvas");

  // Enter picks what is in the middle of the view, and opens its object.
  await clickRow(page, "assembly");
  await page.focus(".viewer canvas");
  await page.keyboard.press("Enter");
  await page.waitForFunction((ids) => ids.some((one) => location.href.includes(one)), {}, parts.map((part) => part.id));
  const picked = parts.find((part) => page.url().includes(part.id));
  await see(`Selected: ${picked.name}`);
  await look("part");

  // A picture of the view goes on a new card about the part, and the card leads back to the view.
  await press("Take picture");
  await page.waitForSelector(".picture-offer img");
  await look("picture-offer");
  await choose(page, "dialog button[aria-haspopup=menu]", `New card about ${picked.name}`);
  await page.locator("dialog form #field-name").fill("Look at this face");
  await page.locator("dialog form .primary").click();
  await see("The picture is on the card, with a link to this view.");
  await press("Open");
  await see("Look at this face");
  await see(".png");
  await follow(`3D view of ${picked.name}`);
  await see(`Selected: ${picked.name}`);
  await page.waitForSelector(".viewer[data-state=shown] canvas");

  // A new version, in which a part stands elsewhere.
  const commit = async (message) =>
    (await call("POST", `/projects/${id}/branches/main/commits`, { message })).commit.hash;
  const first = await commit("Three cubes");
  const next = join(mkdtempSync(join(tmpdir(), "console-")), "cubes.step");
  const written = readFileSync(file, "utf8");
  expect(written.includes("(40.,0.,0.)"), "the last cube isn't where this journey moves it from");
  writeFileSync(next, written.replace("(40.,0.,0.)", "(40.,15.,0.)"));
  // A picture that is still drawn is asked for again.
  expected.push("/thumbnail?");
  await clickRow(page, "assembly");
  await (await page.waitForSelector("input[data-replace]")).uploadFile(next);
  await see("Replaced.");
  const second = await commit("Move a cube");

  // Both commits in one scene, and in words: the versions of the file lead there.
  await page.reload();
  await clickRow(page, "assembly");
  await page.locator(".object .file-versions summary").click();
  await follow("Compare with the one before");
  await page.waitForFunction((wanted) => location.search.includes(wanted), {}, `base=${first}&head=${second}`);
  await see("What differs in");
  await see("moved by 15 mm");
  await page.waitForSelector(".compared-scene .viewer[data-state=shown] canvas");
  const legend = () => page.$$eval(".scene-legend button", (all) =>
    all.map((one) => [".tone-name", ".count"].map((part) => one.querySelector(part).textContent).join(" ")).join(", "));
  await becomes("the parts by their difference", legend, "Added 0, Moved 1, Changed 0, Deleted 0, Unchanged 2");
  await look("compared-scene");

  // A row selects in the scene, and a pick in the scene its row.
  const moved = parts.find(({ name }) => name === "use 2");
  await page.locator(`.changed-object[data-id="${moved.id}"] summary`).click();
  await see(`Selected: ${moved.name}`);
  await page.focus(".compared-scene canvas");
  await page.keyboard.press("z");
  await page.keyboard.press("Escape");
  await page.waitForFunction(() => !document.querySelector("summary[aria-current=true]"));
  await becomes("the row of the picked part", async () => {
    await page.keyboard.press("Enter");
    return page.$$eval("summary[aria-current=true] .name", (names) => names.map((one) => one.textContent).join());
  }, moved.name);

  // The legend hides what it names, and shows it again.
  await press("Moved 1");
  await page.waitForSelector(".scene-legend .tone-moved[aria-pressed=false]");
  await press("Moved 1");
  await page.waitForSelector(".scene-legend .tone-moved[aria-pressed=true]");

  await page.locator(".bill-difference summary").click();
  await see("Both versions need the same parts in the same numbers.");
});
