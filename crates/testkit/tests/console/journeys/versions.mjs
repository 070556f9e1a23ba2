// Looks at history and uncommitted changes, takes a commit back, branches, merges with conflicts, and shares packages.

import { HOSTILE, expect, expected, given, run } from "./driver.mjs";
import { callerOf, signIn } from "./service.mjs";

const [link, org] = given;
const url = new URL(link).origin;

run(async ({ page, see, press, follow, look, path }) => {
  await signIn(page, link);
  const call = callerOf(page);
  const { id } = await call("POST", "/projects", { name: "Gear wheel", orgId: org });
  const project = `/projects/${id}`;
  const commit = async (message, branch = "main") =>
    (await call("POST", `${project}/branches/${branch}/commits`, { message })).commit.hash;
  const make = async (body) => (await call("POST", `${project}/objects`, body)).object.id;

  await page.goto(`${url}${project}/changes`);
  await see("All changes are committed.");
  await look("changes-empty");

  const gear = await make({ name: "Gear", type: "Part", data: { teeth: 20, material: "steel" } });
  const code = await make({ name: HOSTILE, type: "Code",
    data: { language: "Python", text: "# The gear\nteeth = 20\n\nfor tooth in range(teeth):\n    cut(tooth)\n" } });
  await make({ name: "Old bolt", type: "Part" });
  const bolt = await make({ name: "Bolt", type: "Part", data: { size: "M8" } });
  const first = await commit("Add the gear\n\nWith the teeth of the drawing.");
  await call("PATCH", `${project}/objects/${gear}`, { name: "Gear wheel", data: { teeth: 24, material: null, holes: { count: 3 } } });
  await call("PATCH", `${project}/objects/${code}`, { data: { text: "# The gear\nteeth = 24\n\nfor tooth in range(teeth):\n    cut(tooth)\n    smooth(tooth)\n" } });
  await call("DELETE", `${project}/objects/${bolt}`);
  await make({ name: "Washer", type: "Part" });

  // Uncommitted changes: what was, and what is now.
  await page.goto(`${url}${project}/changes`);
  await see("1 deleted");
  await see("smooth(tooth)");
  await see("holes › count");
  await see("M8");
  await look("changes");
  await page.locator("#commit-message").fill("More teeth");
  await page.reload();
  await see("1 deleted");
  expect(await page.$eval("#commit-message", (box) => box.value) === "More teeth", "the message is lost by a reload");
  await page.locator(".commit-box .primary").click();
  await see("Committed as");
  await see("smooth(tooth)");
  const second = path().split("/").at(-1);
  expect(path() === `${project}/commits/${second}` && second.length === 40, `came to ${path()}`);
  await look("commit");

  await follow("History");
  await see("Add the gear");
  await look("history");
  expect(await page.$$eval(".commit-row", (rows) => rows.length) === 3, "three commits are listed");
  // A commit of somebody else appears without a reload.
  await call("PATCH", `${project}/objects/${gear}`, { data: { teeth: 25 } });
  await commit("One more");
  await see("One more");

  // Taking back what was changed later is a conflict.
  expected.push("409");
  await page.goto(`${url}${project}/commits/${second}`);
  await press("Revert");
  await page.locator("dialog .primary").click();
  await see("decide which side");
  await look("revert-conflict");
  await page.evaluate(() => document.querySelectorAll('.conflict input[value="theirs"], .conflict input[value="keep"]').forEach((one) => one.click()));
  await page.locator(".decision .primary").click();
  await see("Reverted.");
  const back = await call("GET", `${project}/objects/${gear}`);
  expect(back.object.data.teeth === 20 && back.object.name === "Gear", `reverted to ${JSON.stringify(back.object)}`);

  // Branches: made, worked on, compared, merged with a conflict.
  await follow("Branches");
  await see("A branch is a line of work");
  await press("New branch");
  await page.locator("#field-name").fill("feature/teeth");
  await page.locator("dialog .primary").click();
  await page.waitForFunction(() => location.search.includes("branch=feature"));
  const there = encodeURIComponent(`${id}--feature/teeth`);
  await call("PATCH", `/projects/${there}/objects/${gear}`, { data: { teeth: 30, bore: 8 } });
  await commit("Thirty", encodeURIComponent("feature/teeth"));
  await call("PATCH", `${project}/objects/${gear}`, { data: { teeth: 18 } });
  await commit("Eighteen");
  await page.goto(`${url}${project}/branches`);
  await see("feature/teeth");
  await look("branches");
  await follow("Compare feature/teeth with the default branch");
  await see("bore");
  await look("compare");
  await page.goBack();
  await follow("Merge feature/teeth");
  await see("1 conflict");
  await see("0 of 1 decided");
  await look("merge-conflict");
  await page.locator('.conflict input[value="theirs"]').click();
  await see("1 of 1 decided");
  await page.locator("main .primary").click();
  await see("Merged as");
  const merged = await call("GET", `${project}/objects/${gear}`);
  expect(merged.object.data.teeth === 30 && merged.object.data.bore === 8, `merged to ${JSON.stringify(merged.object.data)}`);
  await page.goto(`${url}${project}/merge?source=feature%2Fteeth&into=main`);
  await see("nothing to merge");
  await page.goto(`${url}${project}/branches`);
  await press("Delete feature/teeth");
  await page.locator("dialog .primary").click();
  await see("Branch deleted.");

  // Packages: published here, included there, and brought up to date.
  await page.goto(`${url}${project}/packages`);
  await see("A published package can be included");
  await press("Publish a package");
  await page.locator("#field-description").fill("The wheels");
  await page.locator("dialog .primary").click();
  await see("The wheels");
  await look("packages");
  const reference = (await call("GET", `${project}/packages`)).packages[0].ref;
  const other = (await call("POST", "/projects", { name: "Gearbox", orgId: org })).id;
  await page.goto(`${url}/projects/${other}/packages`);
  await press("Include a package");
  await page.locator("#field-ref").fill("no reference");
  expected.push("400");
  await page.locator("dialog .primary").click();
  await page.waitForFunction(() => document.querySelector("dialog .failure")?.textContent);
  await page.locator("#field-ref").fill(reference);
  await page.locator("dialog .primary").click();
  await see("up to date");
  await call("PATCH", `${project}/objects/${gear}`, { data: { teeth: 31 } });
  await commit("Thirty-one");
  await call("PUT", `${project}/packages/${reference.split("/")[1].split("@")[0]}`, {});
  await page.reload();
  await press("Update");
  await see("up to date");
  await look("included");
  expect(first.length === 40, "no first commit");
});
