// Looks at a design: from the dropped file to its shape, a part that is picked, and its picture.

import { becomes, expect, given, run } from "./driver.mjs";
import { callerOf, clickRow, dropOn, signIn } from "./service.mjs";

const [link, org, file] = given;
const url = new URL(link).origin;

run(async ({ page, see, look }) => {
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
});
