// Opens each kind of page, wide and light, narrow and dark; prints what is wrong, and fails if anything is.

import { mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import puppeteer from "puppeteer-core";

const [executablePath, url] = process.argv.slice(2);
const axe = readFileSync("node_modules/axe-core/axe.min.js", "utf8");
const pages = [
  "/docs",
  "/docs/guide",
  "/docs/guide/first-upload",
  "/docs/guide/planning",
  "/docs/rules",
  "/docs/changes",
  "/docs/reference",
  "/docs/errors",
  "/docs/control/cards",
  "/docs/control/cards/createCard",
  "/docs/control/sessions/createSession",
  "/docs/data/files/uploadFile",
  "/docs/none",
];

const browser = await puppeteer.launch({
  executablePath,
  userDataDir: mkdtempSync(join(tmpdir(), "chromium-")),
  args: [
    "--headless",
    // Containers run as root, where Chromium's sandbox can't start.
    "--no-sandbox",
    "--no-proxy-server",
    // Nothing but the pages is to be loaded or started.
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
  ],
});
const wrong = [];

async function open(path, width, scheme) {
  const page = await browser.newPage();
  await page.setViewport({ width, height: 900 });
  await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: scheme }]);
  const place = `${path} (${width}, ${scheme})`;
  page.on("console", (message) => {
    const isExpected = path === "/docs/none" && message.text().includes("404");
    if (message.type() === "error" && !isExpected) wrong.push(`${place}: ${message.text()}`);
  });
  page.on("pageerror", (error) => wrong.push(`${place}: ${error.message}`));
  page.on("request", (request) => {
    if (!request.url().startsWith(url)) wrong.push(`${place}: loads ${request.url()}`);
  });
  await page.goto(url + path, { waitUntil: "load" });
  return [page, place];
}

function expect(is, message) {
  if (!is) wrong.push(message);
}

for (const path of pages) {
  for (const [width, scheme] of [[1400, "light"], [390, "dark"]]) {
    const [page, place] = await open(path, width, scheme);
    const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    expect(overflow <= 0, `${place}: is ${overflow} pixels too wide`);
    // The debugger's evaluation is not bound by the page's policy.
    await page.evaluate(axe);
    const found = await page.evaluate(() => globalThis.axe.run({ resultTypes: ["violations"] }));
    for (const violation of found.violations) {
      const where = violation.nodes.slice(0, 3).map((node) => node.target.join(" ")).join("; ");
      wrong.push(`${place}: ${violation.id}: ${violation.help}: ${where}`);
    }
    await page.close();
  }
}

{
  const [page, place] = await open("/docs/control/cards/createCard", 1400, "light");
  const text = (selector) => page.$eval(selector, (element) => element.textContent);
  await page.keyboard.press("Tab");
  expect(await page.evaluate(() => document.activeElement.className) === "skip",
    `${place}: the skip link is not first`);

  await page.focus('[role="tab"]');
  await page.keyboard.press("ArrowRight");
  expect(await page.$eval("#sample-typescript", (panel) => panel.checkVisibility()), `${place}: no tab by arrow`);
  expect(!await page.$eval("#sample-sh", (panel) => panel.checkVisibility()), `${place}: two tabs are shown`);
  await page.reload({ waitUntil: "load" });
  expect(await page.$eval("#sample-typescript", (panel) => panel.checkVisibility()),
    `${place}: the language is forgotten`);

  const before = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  await page.click(".theme");
  const after = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  expect(before !== after, `${place}: the colours stay`);

  await page.focus("h1, main");
  await page.keyboard.press("/");
  await page.keyboard.type("sprint report");
  await page.waitForSelector("#found a");
  expect((await text("#found li:first-child")).includes("Read a sprint's report"), `${place}: ${await text("#found")}`);
  await page.evaluate(axe);
  const found = await page.evaluate(() => globalThis.axe.run({ resultTypes: ["violations"] }));
  for (const violation of found.violations) wrong.push(`search: ${violation.id}: ${violation.help}`);
  await page.keyboard.press("ArrowDown");
  await Promise.all([page.waitForNavigation(), page.keyboard.press("Enter")]);
  expect(page.url().endsWith("/getSprintReport"), `${place}: the search leads to ${page.url()}`);
}

await browser.close();
for (const line of wrong) console.log(line);
process.exitCode = wrong.length === 0 ? 0 : 1;
