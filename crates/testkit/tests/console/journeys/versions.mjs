// Looks at history and uncommitted changes, takes a commit back, branches, merges with conflicts, and shares packages.

import { HOSTILE, becomes, expect, expected, given, run } from "./driver.mjs";
import { callerOf, signIn } from "./service.mjs";

const [link, org] = given;
const url = new URL(link).origin;

run(async ({ page, see, quiet, press, follow, look, path }) => {
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
  await call("PATCH", `${project}/objects/${gear}`,
    { name: "Gear wheel", data: { teeth: 24, material: null, holes: { count: 3 } } });
  await call("PATCH", `${project}/objects/${code}`,
    { data: { text: "# The gear\nteeth = 24\n\nfor tooth in range(teeth):\n    cut(tooth)\n    smooth(tooth)\n" } });
  await call("DELETE", `${project}/objects/${bolt}`);
  await make({ name: "Washer", type: "Part" });
  await make({ name: "Bore", type: "Part", parent: gear });

  // Uncommitted changes: what was, and what is now.
  await page.goto(`${url}${project}/changes`);
  await see("1 deleted");
  await see("smooth(tooth)");
  await see("holes › count");
  await see("M8");
  await look("changes");
  await page.locator("#commit-message").fill("More teeth");
  await page.reload();
  // The deleted object is read from the last commit, and not there after the next one.
  await see("M8");
  await quiet();
  await becomes("the message is lost by a reload", () => page.$eval("#commit-message", (box) => box.value),
    "More teeth");
  await page.locator(".commit-box .primary").click();
  await see("Committed as");
  await see("Revert");
  await see("smooth(tooth)");
  const second = path().split("/").at(-1);
  expect(path() === `${project}/commits/${second}` && second.length === 40, `came to ${path()}`);
  const order = await page.$$eval(".changed-object .name", (names) => names.map((one) => one.textContent));
  expect(JSON.stringify(order)
    === JSON.stringify(["Gear wheel", "Bore", HOSTILE.replace("\u202e", ""), "Washer", "Bolt"]),
    `the commit lists ${JSON.stringify(order)}`);
  await becomes("the path is not shown", () => page.$$eval(".changed-object .path", (paths) =>
    paths.map((one) => one.textContent).join()), "Gear wheel");
  await look("commit");

  // What was added or deleted with its folder is folded below it, and all of it is counted.
  const bulk = await make({ name: "Bulk", type: "Folder" });
  await call("POST", `${project}/objects/batch`, { operations: Array.from({ length: 20 }, (_, at) =>
    ({ op: "create", name: `Page ${at + 1}`, type: "Part", parent: bulk, data: {} })) });
  await page.goto(`${url}${project}/changes`);
  await see("21 added");
  await see("and 20 below it");
  await becomes("the added pages are not below their folder",
    () => page.$$eval(".changed-object", (rows) => rows.length), 1);
  await page.locator(".changed-object summary").click();
  await page.waitForFunction(() => document.querySelectorAll(".changed-below .name")[9]?.textContent === "Page 10");
  await look("changes-folded");
  // It is discarded with its folder, and the focus goes on to the next change.
  await call("PATCH", `${project}/objects/${code}`, { data: { text: "# The gear, milled\n" } });
  await see("1 changed");
  await press("Discard Bulk");
  await see("Bulk is removed, with 20 changes inside it.");
  await look("discard-folder");
  await page.locator("dialog .primary").click();
  await see("Discarded.");
  await page.waitForFunction(() =>
    !document.querySelector("dialog") && document.activeElement.matches(".changed-object summary"));
  expect((await call("GET", `${project}/branches/main/changes`)).totalObjectChanges === 1,
    "other changes are discarded, too");
  await page.locator(".changed-action button").click();
  await page.locator("dialog .primary").click();
  await see("All changes are committed.");

  // More than what is read at once is said to be more, and then counted.
  const again = await make({ name: "Bulk", type: "Folder" });
  await call("POST", `${project}/objects/batch`, { operations: Array.from({ length: 520 }, (_, at) =>
    ({ op: "create", name: `Page ${at + 1}`, type: "Part", parent: again, data: {} })) });
  await page.goto(`${url}${project}/commits/${await commit("Add many")}`);
  await see("More than 500 objects differ");
  await look("commit-more");
  await press("Show more");
  await see("521 added");
  await call("DELETE", `${project}/objects/${again}`);
  // A deleted folder comes back with all that it held.
  await page.goto(`${url}${project}/changes`);
  await press("Discard Bulk");
  await see("Bulk comes back as it was in the last commit, with 520 other objects");
  await page.locator("dialog .primary").click();
  await see("All changes are committed.");
  expect((await call("GET", `${project}/tree?root=${again}`)).tree.length >= 520,
    "objects of the folder did not come back");
  await call("DELETE", `${project}/objects/${again}`);
  await page.goto(`${url}${project}/commits/${await commit("Delete many")}`);
  await press("Show more");
  await see("521 deleted");
  await becomes("the deleted pages are not below their folder",
    () => page.$$eval(".changed-object", (rows) => rows.length), 1);
  await page.locator(".changed-object summary").click();
  await page.waitForFunction(() => document.querySelectorAll(".changed-below .name")[9]?.textContent === "Page 10");

  await follow("History");
  await see("Add the gear");
  await look("history");
  await page.keyboard.press("j");
  await page.keyboard.press("j");
  await page.waitForFunction(() => document.activeElement === document.querySelectorAll(".commit-row")[1]);
  await becomes("five commits are listed", () => page.$$eval(".commit-row", (rows) => rows.length), 5);
  // A commit of somebody else appears without a reload.
  await call("PATCH", `${project}/objects/${gear}`, { data: { teeth: 25 } });
  await commit("One more");
  await see("One more");

  // Taking back what was changed later is a conflict.
  expected.push("409");
  await page.goto(`${url}${project}/commits/${second}`);
  await press("Revert");
  await page.locator("dialog .primary").click();
  await see("Choose which side");
  await look("revert-conflict");
  await page.evaluate(() => document.querySelectorAll('.conflict input[value="theirs"], .conflict input[value="keep"]')
    .forEach((one) => one.click()));
  await page.locator(".decision .primary").click();
  await see("Reverted.");
  const back = await call("GET", `${project}/objects/${gear}`);
  expect(back.object.data.teeth === 20 && back.object.name === "Gear", `reverted to ${JSON.stringify(back.object)}`);

  // Branches: made, worked on, compared, merged with a conflict.
  await follow("Branches");
  await see("A branch is a line of work");
  await press("New branch");
  await page.locator("#field-name").fill("main");
  await page.locator("dialog .primary").click();
  await page.waitForFunction(() =>
    document.querySelector("#field-name").closest(".field").querySelector(".failure")?.textContent);
  await page.waitForSelector("#field-name[aria-invalid=true]:focus");
  await look("branch-refused");
  await page.locator("#field-name").fill("feature/teeth");
  await page.locator("dialog .primary").click();
  await page.waitForFunction(() => location.search.includes("branch=feature"));
  const there = encodeURIComponent(`${id}--feature/teeth`);
  await call("PATCH", `/projects/${there}/objects/${gear}`, { data: { teeth: 30, bore: 8 } });
  await commit("Thirty", encodeURIComponent("feature/teeth"));
  await call("PATCH", `${project}/objects/${gear}`, { data: { teeth: 18 } });
  await page.goto(`${url}${project}/merge?source=feature%2Fteeth&into=main`);
  await see("has uncommitted changes");
  await look("merge-uncommitted");
  await follow("See the changes of main");
  await page.waitForFunction((wanted) => location.pathname === wanted, {}, `${project}/changes`);
  await see("1 changed");
  await make({ name: "Pin of main", type: "Part" });
  const eighteen = await commit("Eighteen");
  await page.goto(`${url}${project}/branches`);
  await see("feature/teeth");
  const { createdAt } = (await call("GET", `${project}/commits/${eighteen}`)).commit;
  expect(await page.$$eval(".branch-row time", (times) => times.map((one) => one.dateTime))
    .then((times) => times.includes(createdAt)),
    "the branch doesn't tell of its last commit");
  await look("branches");
  await follow("Compare feature/teeth with the default branch");
  await see("bore");
  await see("What feature/teeth has changed since it left main");
  const differing = () => page.$$eval(".changed-object .name", (names) => names.map((one) => one.textContent).join());
  await becomes("the branch has changed", differing, "Gear");
  await look("compare");
  await page.goBack();
  // The comparison has a link of the same name, whose place is that of "New branch" on this page.
  await page.waitForSelector(".branch-row");
  let previews = 0;
  page.on("request", (request) => {
    if (request.method() === "POST" && request.url().endsWith("/merge")) previews += 1;
  });
  await follow("Merge feature/teeth");
  await see("1 conflict");
  await quiet();
  expect(previews === 1, `the preview was requested ${previews} times`);
  await see("0 of 1 resolved");
  await becomes("the merge brings", differing, "Gear");
  await look("merge-conflict");
  await page.locator('.conflict input[value="theirs"]').click();
  await see("1 of 1 resolved");
  await page.locator("main .primary").click();
  await see("Merged as");
  const merged = await call("GET", `${project}/objects/${gear}`);
  expect(merged.object.data.teeth === 30 && merged.object.data.bore === 8,
    `merged to ${JSON.stringify(merged.object.data)}`);
  await page.goto(`${url}${project}/merge?source=feature%2Fteeth&into=main`);
  await see("nothing to merge");
  await page.goto(`${url}${project}/branches`);
  await press("Delete feature/teeth");
  await page.locator("dialog .primary").click();
  await see("feature/teeth is deleted.");

  // Packages: published here, included there, and brought up to date.
  await page.goto(`${url}${project}/packages`);
  await see("Nothing is published yet");
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
