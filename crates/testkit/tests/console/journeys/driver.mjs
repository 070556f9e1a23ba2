// A browser for a test's steps: looks at pages by axe and for what is broken, and prints what is wrong, which fails the
// test. `SCREENSHOTS` names a folder for pictures of the pages.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import puppeteer from "puppeteer-core";

const axe = readFileSync("node_modules/axe-core/axe.min.js", "utf8");
const pictures = process.env.SCREENSHOTS;
const args = ["--no-sandbox", "--no-proxy-server", "--disable-gpu", "--disable-quic", "--no-first-run",
  "--disable-background-networking", "--disable-component-update", "--disable-sync"];
const [executablePath] = process.argv.slice(2);
const wrong = [];
/** Parts of errors that the browser's console may show. */
export const expected = [];
/** The arguments that the test gave its script. */
export const given = process.argv.slice(3);

/** A hostile name: markup that would run, and a turn of the writing's direction. */
export const HOSTILE = "<img src=x onerror=globalThis.broken=1>\u202e gear";

/** Reports what is wrong unless `is` holds. */
export function expect(is, message) {
  if (!is) wrong.push(message);
}

/** Waits until what `read` gives is `wanted`: a page shows what it has when its browser comes to it. */
export async function becomes(what, read, wanted) {
  let is = await read();
  for (let tries = 400; is !== wanted && tries > 0; tries -= 1) {
    await new Promise((done) => setTimeout(done, 50));
    is = await read();
  }
  expect(is === wanted, `${what}: ${is} where ${wanted} is expected`);
}

/** Waits for what the script itself learns, for example from requests of the page. */
export async function until(holds, what) {
  for (let tries = 400; !holds(); tries -= 1) {
    if (tries === 0) throw new Error(`waited 20 s for ${what}`);
    await new Promise((done) => setTimeout(done, 50));
  }
}

/**
 * Passes each request of a page to `act`, which may answer it, end it, or hold it by returning true; all others go on.
 * The returned function ends that, after which held ones are the caller's to continue.
 */
export async function intercept(page, act) {
  let ended = false;
  const listen = async (request) => {
    if (ended || !(await act(request) || request.isInterceptResolutionHandled())) await proceed(request);
  };
  page.on("request", listen);
  await page.setRequestInterception(true);
  return async () => {
    // As long as requests are intercepted, one without a listener would wait for ever.
    ended = true;
    await page.setRequestInterception(false);
    page.off("request", listen);
  };
}

/** Lets a request go on, unless its page has given it up. */
export const proceed = (request) => request.continue().catch(() => {});

/** Chooses in a picker: opens it by its control, and presses the choice with this name. */
export async function choose(page, control, name) {
  await page.locator(control).click();
  await page.waitForSelector(".menu:popover-open .menu-item");
  const choices = await page.$$(".menu:popover-open .menu-item");
  for (const choice of choices) {
    if (await choice.$eval(".name", (element, wanted) => element.textContent.trim() === wanted, name)) {
      await choice.click();
      return page.waitForFunction(() => !document.querySelector(".menu:popover-open"));
    }
  }
  throw new Error(`${control} has no choice ${name}`);
}

/** Chooses a day: opens the month by its control, and types the day, as `2026-03-09`. */
export async function chooseDay(page, control, day) {
  await page.locator(control).click();
  await page.waitForSelector(".month-menu:popover-open input");
  await page.keyboard.type(day);
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => !document.querySelector(".month-menu"));
}

/** Types into an editor of code in place of what it holds. */
export async function writeCode(page, source) {
  const content = await page.waitForSelector(".code-editor:not([hidden]) >>> .cm-content");
  await content.click();
  await page.keyboard.down("Control");
  await page.keyboard.press("a");
  await page.keyboard.up("Control");
  await page.keyboard.sendCharacter(source);
}

/** Runs the steps with a person of their own: a page in a context without anybody's cookies and storage. */
export async function run(steps) {
  const browser = await puppeteer.launch({ executablePath, args });
  const people = [];
  const person = async () => {
    const context = await browser.createBrowserContext();
    const one = await open(await context.newPage());
    people.push(one);
    return one;
  };
  try {
    await steps(await person(), person);
  } catch (error) {
    wrong.push(error.stack);
    for (const { page } of people) {
      const said = await page.evaluate(() => document.body.innerText.slice(0, 3000)).catch(() => "");
      wrong.push(`${page.url()} says: ${said}`);
      if (pictures) await page.screenshot({ path: join(pictures, `failed-${people.length}.png`) }).catch(() => {});
    }
  }
  await browser.close();
  for (const line of wrong) console.log(line);
  process.exitCode = wrong.length === 0 ? 0 : 1;
}

/** A person at a page, with what they do. */
async function open(page) {
  page.setDefaultTimeout(20_000);
  await page.setViewport({ width: 1400, height: 900 });
  page.on("console", (message) => {
    const said = `${message.text()} ${message.location().url ?? ""}`;
    if (message.type() === "error" && !expected.some((text) => said.includes(text))) {
      wrong.push(`${page.url()}: ${said}`);
    }
  });
  page.on("pageerror", (error) => wrong.push(`${page.url()}: ${error.message}`));
  // Requests that the page waits for. Streams of events stay open; the requests of a page that was left are forgotten.
  const waiting = new Set();
  let latest = 0;
  page.on("request", (request) => {
    if (request.headers().accept === "text/event-stream") return;
    latest = Date.now();
    waiting.add(request);
  });
  for (const end of ["requestfinished", "requestfailed"]) {
    page.on(end, (request) => { if (waiting.delete(request)) latest = Date.now(); });
  }
  page.on("framenavigated", () => waiting.clear());
  await page.evaluateOnNewDocument(() => {
    globalThis.visible = () => [...document.body.querySelectorAll("*")].filter((element) => element.checkVisibility());
    globalThis.violations = [];
    document.addEventListener("securitypolicyviolation", (event) =>
      globalThis.violations.push(`${event.violatedDirective} ${event.blockedURI} ${event.sample}`));
  });
  return {
    page,
    see: (text) => page.waitForFunction((wanted) => document.body.innerText.includes(wanted), {}, text),
    press: (name) => page.locator(`::-p-aria([name="${name}"][role="button"])`).click(),
    follow: (name) => page.locator(`::-p-aria([name="${name}"][role="link"])`).click(),
    quiet: () => until(() => waiting.size === 0 && Date.now() - latest > 500, "the page's requests"),
    path: () => new URL(page.url()).pathname,
    look: (name) => look(page, name),
  };
}

/** The rules of axe on colours, which alone differ in the dark. */
const COLOURS = ["color-contrast", "link-in-text-block"];
/** The rules on places and sizes, which alone differ for an element that was there on the wide page. */
const PLACES = ["scrollable-region-focusable", "target-size"];
/**
 * The looks at a page, with the rules of axe that can find something new there, on the whole page and on elements that
 * a wider page doesn't show: all without a list.
 */
const LOOKS = [
  { width: 1400, scheme: "light" },
  { width: 1400, scheme: "dark", rules: COLOURS },
  { width: 390, scheme: "light", rules: PLACES, ofNew: undefined },
  { width: 390, scheme: "dark", rules: [], ofNew: COLOURS },
];
/** The attribute of elements that a narrow page shows and the wide one didn't. */
const NEW = "data-new-when-narrow";

/** Looks at the page wide and narrow, light and dark, by axe and for what is broken. */
async function look(page, name) {
  for (const { width, scheme, rules, ...narrow } of LOOKS) {
    await page.setViewport({ width, height: width > 1000 ? 900 : 800 });
    await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: scheme },
      { name: "prefers-reduced-motion", value: "reduce" }]);
    await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
    const place = `${name} (${width}, ${scheme})`;
    const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    expect(overflow <= 0, `${place}: is ${overflow} pixels too wide`);
    const found = await violations(page, rules);
    if ("ofNew" in narrow && await markNew(page) > 0) found.push(...await violations(page, narrow.ofNew, `[${NEW}]`));
    if (!rules) await page.evaluate(() => globalThis.shown = new WeakSet(globalThis.visible()));
    for (const violation of found) {
      const where = violation.nodes.slice(0, 3).map((node) => `${node.target.join(" ")} ${node.any[0]?.message ?? ""}`);
      wrong.push(`${place}: ${violation.id}: ${violation.help}: ${where.join("; ")}`);
    }
    if (pictures) await page.screenshot({ path: join(pictures, `${name}-${width}-${scheme}.png`) });
  }
  await page.evaluate((mark) => {
    for (const element of document.querySelectorAll(`[${mark}]`)) element.removeAttribute(mark);
  }, NEW);
  await page.setViewport({ width: 1400, height: 900 });
  const broken = await page.evaluate(() => [globalThis.broken, ...globalThis.violations]);
  expect(!broken[0], `${name}: a name was run`);
  for (const violation of broken.slice(1)) wrong.push(`${name}: the policy was broken: ${violation}`);
}

/** Marks the elements that are visible now and were not on the wide page; returns their number. */
const markNew = (page) => page.evaluate((mark) => {
  const added = globalThis.visible().filter((element) => !globalThis.shown.has(element));
  for (const element of added) element.setAttribute(mark, "");
  return added.length;
}, NEW);

/** What axe finds by these rules, or by all, in the elements of a selector, or in the whole page. */
async function violations(page, rules, within) {
  if (rules?.length === 0) return [];
  if (!await page.evaluate(() => Boolean(globalThis.axe))) await page.evaluate(axe);
  const options = { resultTypes: ["violations"], ...rules && { runOnly: rules } };
  const run = (context, asked) => globalThis.axe.run(context ?? document, asked);
  return (await page.evaluate(run, within, options)).violations;
}
