// A person with a project and no organization finds the way to a board, and a wrong address shows the ways on.

import { becomes, choose, expect, expected, given, run } from "./driver.mjs";
import { callerOf, signIn } from "./service.mjs";

const [link] = given;
const url = new URL(link).origin;

run(async ({ page, see, press, follow, look, path }) => {
  await signIn(page, link);
  const call = callerOf(page);
  const { id } = await call("POST", "/projects", { name: "Gearbox" });
  await page.goto(`${url}/projects`);
  await see("A board plans the cards of an organization's projects");
  await look("home-no-board");

  await page.goto(`${url}/projects/${id}`);
  await page.waitForSelector(".side a");
  await follow("Boards");
  await see("Boards belong to organizations.");
  await look("boards-empty");
  await press("New board");
  await page.locator("#field-name").fill("Wheels");
  await choose(page, "#field-project", "Gearbox");
  await look("board-new");
  await page.locator("dialog .primary").click();
  await see("Add To do, Doing and Done");
  await becomes("the board's page", () => page.title(), "Board · Wheels · Atelier");
  const board = path();
  const { organizations } = await call("GET", "/orgs");
  expect(organizations.length === 1, `${organizations.length} organizations were made`);
  const { project } = await call("GET", `/projects/${id}`);
  expect(project.ownerId === organizations[0].id, "the project stays outside of the organization");
  await page.goto(`${url}/boards`);
  await see("Wheels");
  await look("boards");
  await page.goto(`${url}/projects/${id}`);
  await follow("Wheels");
  await page.waitForFunction((wanted) => location.pathname === wanted, {}, board);

  // An address that is no page says so, and leads on; signed in or not.
  expected.push("404");
  await page.goto(`${url}/nowhere`);
  await see("Page not found");
  await look("no-page");
  await press("Search");
  await page.waitForSelector(".palette input");
  await page.keyboard.press("Escape");
  await follow("All projects");
  await see("Gearbox");
  await page.goto(`${url}/projects/${id}/nowhere`);
  await see("Page not found");
  await page.evaluate(() => sessionStorage.clear());
  await page.goto(`${url}/nowhere`);
  await see("Page not found");
  await look("no-page-signed-out");
  await follow("Sign in");
  await see("Sign in to Atelier");
});
