// Usage of a project and of an organization: figures, a chart, a table, a file, and the period in the address.

import { becomes, choose, chooseDay, expect, expected, given, run } from "./driver.mjs";

const [link, org, project] = given;
const url = new URL(link).origin;

run(async ({ page, see, press, look }) => {
  await page.goto(link);
  await page.waitForSelector(".account .mark");
  const period = "from=2026-11-01&to=2026-11-07";
  const table = () => page.$$eval(".numbers tbody tr", (rows) =>
    rows.map((row) => [...row.children].map((cell) => cell.textContent).join(" ")).join("; "));

  await page.goto(`${url}/projects/${project}/usage?${period}`);
  await see("1.75004");
  await becomes("by day", table, "2026-11-02 1.75 2 2,400 60; 2026-11-04 0.00004 1 1,200 30");
  const bars = await page.$$eval(".usage-chart rect", (all) =>
    all.map((bar) => Number(bar.getAttribute("height")) > 0));
  expect(bars.join() === "false,true,false,true,false,false,false", `the bars are ${bars}`);
  await look("usage");

  await choose(page, "#field-by", "Model");
  await see("Credits by model");
  expect(page.url().includes("by=model") && page.url().includes("from=2026-11-01"), `the address is ${page.url()}`);
  expect((await table()).includes("maker =deep 0.25 1"), `by model: ${await table()}`);
  await page.goBack();
  await see("Credits by day");
  // An end before the start moves the start: no choice makes a period that is refused.
  await chooseDay(page, "#field-to", "2026-10-31");
  await see("Nothing was spent");
  expect(page.url().includes("from=2026-10-31"), `the address is ${page.url()}`);
  await page.goBack();
  await see("1.75004");

  // The file is the service's own: what would be a formula is text.
  await page.evaluate(() => {
    globalThis.saved = new Promise((done) => {
      const make = URL.createObjectURL;
      URL.createObjectURL = (blob) => (void blob.text().then(done), make(blob));
    });
  });
  await press("Download CSV");
  const saved = await page.evaluate(() => globalThis.saved);
  expect(saved.startsWith("day,credits,") && saved.includes("1.75"), `the file holds ${saved}`);

  await page.goto(`${url}/orgs/${org}/usage?${period}&by=project`);
  await see("1.75004");
  await becomes("by project", table, "Gear 1.75004 3 3,600 90");
  await page.goto(`${url}/orgs/${org}/usage?${period}&by=model`);
  await see("maker quick");
  await look("organization-usage");
  expected.push("400");
  await page.goto(`${url}/projects/${project}/usage?from=2026-11-07&to=2026-11-01`);
  await see("must not be before");
});
