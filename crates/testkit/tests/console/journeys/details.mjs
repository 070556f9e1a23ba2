// Keys that go to pages, panels of a chosen width, compared pictures and code, and lists that change as others work.

import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { HOSTILE, becomes, expect, given, run } from "./driver.mjs";
import { boardOf, callerOf, rowOf, signIn } from "./service.mjs";

const [link, org, bob] = given;
const url = new URL(link).origin;
const drawing = (teeth, fill) =>
  `<svg xmlns="http://www.w3.org/2000/svg" width="320" height="200" viewBox="0 0 320 200">
<rect width="320" height="200" fill="white"/><circle cx="160" cy="100" r="${teeth * 3}" fill="${fill}"/></svg>`;

run(async ({ page, see, press, look, path }) => {
  await signIn(page, link);
  const call = callerOf(page);
  const { project, place, statuses } = await boardOf(call, org,
    { team: "Wheels", project: "Gearbox", columns: ["To do", "Done"] });
  const { card } = await call("POST", `/projects/${project}/cards`, { name: HOSTILE });
  await call("PUT", `${place}/cards/${card.id}`, { statusId: statuses[0] });

  // Keys of two strokes go to each page of the navigation, and the page of keys lists them.
  await page.goto(`${url}/projects/${project}`);
  await page.waitForSelector(".side a");
  const root = `/projects/${project}`;
  const go = async (key, to) => {
    await page.waitForFunction(() => !document.querySelector("dialog"));
    await page.evaluate(() => document.activeElement?.blur?.());
    await page.keyboard.press("g");
    await page.keyboard.press(key);
    await page.waitForFunction((wanted) =>
      location.pathname === wanted && document.querySelector(".side [aria-current=page]"), {}, to);
    await page.waitForFunction((wanted) =>
      document.querySelector(".side [aria-current=page]").pathname === wanted, {}, to);
  };
  for (const [key, to] of [["h", `${root}/history`], ["c", `${root}/changes`], ["r", `${root}/branches`],
    ["k", `${root}/packages`], ["o", `${root}/bom`], ["a", `${root}/sessions`], ["u", `${root}/usage`],
    [",", `${root}/settings`],
    ["f", root], ["b", place], ["t", `${place}/cards`], ["l", `${place}/backlog`], ["s", `${place}/sprints`],
    ["u", `${place}/reports`]]) await go(key, to);
  await page.keyboard.press("?");
  await see("Go to Sprints");
  await see("g s");
  await look("details-keys");
  await page.keyboard.press("Escape");

  // The breadcrumbs are the owner and the team or the project, each with a menu of the others.
  const trail = () => page.$$eval(".crumbs li", (steps) =>
    steps.map((step) => step.firstElementChild.textContent).join(" / "));
  const other = await call("POST", "/projects", { name: "Housing", orgId: org });
  await call("POST", `/orgs/${org}/teams`, { name: "Castings" });
  await becomes("the breadcrumbs of reports", trail, "works / Wheels / Reports");
  const choose = async (name, entry) => {
    await press(`Switch from ${name}`);
    await page.locator(`::-p-xpath(//*[@popover]//button[contains(., "${entry}")])`).click();
  };
  await press("Switch from works");
  await see("All boards");
  await look("details-owners");
  await page.keyboard.press("Escape");
  await choose("Wheels", "Castings");
  await page.waitForFunction(() => document.title === "Board · Castings · Atelier");
  await choose("works", "All projects");
  await page.waitForFunction(() => location.pathname === "/projects");
  await page.goto(`${url}${root}/history`);
  await page.waitForSelector(".crumbs .button");
  await becomes("the breadcrumbs of a history", trail, "works / Gearbox / History");
  await press("Switch from Gearbox");
  await page.waitForSelector("[popover] input:focus");
  await page.keyboard.type("hous");
  await page.waitForFunction(() => document.querySelectorAll(".menu button").length === 1);
  await page.keyboard.press("Enter");
  await page.waitForFunction((project) => location.pathname === `/projects/${project}`, {}, other.id);
  await page.goto(`${url}${place}/reports`);
  await page.waitForSelector(".side a");

  // A member whom somebody else adds appears. The page is one of the team's.
  await page.keyboard.press("g");
  await page.keyboard.press("m");
  await see("Add a member");
  const here = () => page.$$eval(".side a", (links) =>
    links.filter((link) => link.ariaCurrent).map((link) => link.pathname).join());
  await becomes("the navigation of the members is at", here, `${place}/members`);
  await becomes("the members' page", () => page.title(), "Members · Wheels · Atelier");
  await call("PUT", `${place}/members/${bob}`, { role: "member" });
  await see("bob");

  // A card's panel and the tree have the width that the person gave them, after a reload, too.
  const width = (selector) => page.$eval(selector, (one) => Math.round(one.getBoundingClientRect().width));
  await page.goto(`${url}${place}?card=${card.id}`);
  await page.waitForSelector("[data-panel]");
  await becomes("the board's page", () => page.title(), "Board · Wheels · Atelier");
  const before = await width(".panel");
  await page.focus(".panel .separator");
  await page.keyboard.press("ArrowLeft");
  await page.keyboard.press("ArrowLeft");
  await becomes(`two steps widen the panel from ${before}`, () => width(".panel"), before + 32);
  await becomes("the width that the separator tells",
    () => page.$eval(".panel .separator", (line) => line.ariaValueNow), String(before + 32));
  await look("details-panel");
  await page.reload();
  await page.waitForSelector(".panel .separator");
  await becomes("the width of the panel after a reload", () => width(".panel"), before + 32);
  await page.focus(".panel .separator");
  await page.keyboard.press("Home");
  await becomes("the least width of the panel", () => width(".panel"), 360);
  await page.goto(`${url}${root}`);
  await rowOf(page, "Model");
  const line = await (await page.$(".halves > .separator")).boundingBox();
  const tree = await width(".tree-place");
  await page.mouse.move(line.x + line.width / 2, 400);
  await page.mouse.down();
  await page.mouse.move(line.x + line.width / 2 + 100, 420, { steps: 4 });
  await page.mouse.up();
  await becomes("the width of the tree", () => width(".tree-place"), tree + 100);
  await look("details-tree");

  // Two versions of a picture with a slider and what differs marked, and code whose text is shown once.
  const folder = mkdtempSync(join(tmpdir(), "console-"));
  writeFileSync(join(folder, "wheel.svg"), drawing(20, "teal"));
  await (await page.$("main input[type=file]")).uploadFile(join(folder, "wheel.svg"));
  await page.waitForFunction(() => document.querySelector(".object h2")?.textContent === "wheel.svg");
  const code = (await call("POST", `${root}/objects`,
    { name: "teeth.py", type: "Code", data: { language: "Python", text: "teeth = 20\n\nmodule = 2\n" } })).object.id;
  const commit = (message) => call("POST", `${root}/branches/main/commits`, { message });
  await commit("Draw the wheel");
  writeFileSync(join(folder, "wheel.svg"), drawing(28, "tomato"));
  await (await page.$("input[data-replace]")).uploadFile(join(folder, "wheel.svg"));
  await see("Replaced.");
  await call("PATCH", `${root}/objects/${code}`, { data: { text: "teeth = 24\n\nmodule = 2\n" } });
  await page.goto(`${url}${root}/changes`);
  await page.locator("#commit-message").fill("More teeth");
  await page.focus("#commit-message");
  await page.keyboard.down("Control");
  await page.keyboard.press("Enter");
  await page.keyboard.up("Control");
  await see("Committed as");
  await see("Revert");
  expect(path().startsWith(`${root}/commits/`), `a commit leads to ${path()}`);
  await page.waitForFunction(() =>
    [...document.querySelectorAll(".pictures img")].length === 4
    && [...document.querySelectorAll(".pictures img")].every((one) => one.naturalWidth > 0));
  await page.waitForFunction(() =>
    /^\d+ places? differs?: /.test(document.querySelector(".difference p")?.textContent ?? ""));
  await page.focus(".slider input");
  for (let step = 0; step < 10; step += 1) await page.keyboard.press("ArrowRight");
  await becomes("the slider stays", () => page.$eval(".stack", (stack) => stack.style.getPropertyValue("--at")),
    "60%");
  const shown = await page.$$eval(".changed-object", (all) => all.map((one) => [one.querySelector(".name").textContent,
    [...one.querySelectorAll(".long h3")].map((head) => head.textContent).join()]));
  expect(shown.find(([name]) => name === "teeth.py")?.[1].split(",").length === 1,
    `code is compared as ${JSON.stringify(shown)}`);
  await look("details-pictures");

  // The search finds objects of the project, and on a board those of its projects.
  for (const at of [`${root}/history`, place]) {
    await page.goto(url + at);
    await page.waitForSelector(".side a");
    await page.keyboard.press("/");
    await page.waitForSelector(".palette input");
    await page.keyboard.type("teeth.p");
    await page.waitForFunction(() => document.querySelector(".palette [role=option]")?.innerText.includes("teeth.py"));
    if (at === place) await look("details-search");
    await page.keyboard.press("Enter");
    await page.waitForFunction(() => document.querySelector(".object h2")?.textContent === "teeth.py");
    expect(path() === root && page.url().includes(`object=${code}`), `the object is opened at ${page.url()}`);
  }

  // History, branches and a merge follow what others do.
  await page.goto(`${url}${root}/branches`);
  await see("main");
  await call("POST", `${root}/branches`, { name: "harder", fromBranch: "main" });
  await see("harder");
  await page.goto(`${url}${root}/merge?source=harder&into=main`);
  await see("nothing to merge");
  await call("PATCH", `/projects/${encodeURIComponent(`${project}--harder`)}/objects/${code}`,
    { data: { text: "teeth = 30\n" } });
  await call("POST", `${root}/branches/harder/commits`, { message: "Thirty" });
  await page.waitForFunction(() =>
    !document.querySelector("main .primary")?.hidden && document.querySelector(".comparison"));
  // An organization's list has no events: it is read when the person comes back.
  await page.goto(`${url}/orgs/${org}/teams`);
  await see("Wheels");
  await call("POST", `/orgs/${org}/teams`, { name: "Shafts" });
  await page.evaluate(() => document.dispatchEvent(new Event("visibilitychange")));
  await see("Shafts");
  await press("New team");
  await page.keyboard.press("Escape");
  expect(path() === `/orgs/${org}/teams`, `came to ${path()}`);
});
