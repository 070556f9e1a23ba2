// Organizations, invitations, keys, settings and usage; two owners who remove each other, and two who accept at once.

import { HOSTILE, expect, expected, given, intercept, run } from "./driver.mjs";
import { signIn } from "./service.mjs";

const links = JSON.parse(given[0]);
const url = new URL(links.alice).origin;

/** Waits until a dialog is gone. */
const closed = (page) => page.waitForFunction(() => !document.querySelector("dialog"));
const confirm = (page) => page.locator("dialog .primary").click();

/** The link of a new invitation. */
async function invite({ page, press }, role) {
  await press("Invite a person");
  await page.select("#field-role", role);
  await confirm(page);
  await page.waitForSelector("dialog .copied-text");
  return page.$eval("dialog .copied-text", (field) => field.value);
}

/** Signs in with a link of their own. */
const signInAs = (one, name) => signIn(one.page, links[name]);

run(async (alice, person) => {
  const { page, see, press, look, path } = alice;
  await signInAs(alice, "alice");
  await page.goto(`${url}/orgs`);
  await see("Make one to work with others");
  await look("organizations-empty");
  await press("New organization");
  await page.locator("#field-name").fill(HOSTILE);
  await confirm(page);
  await see("Invite a person");
  const org = path();

  // The last owner stays.
  expected.push("409");
  await press("Leave");
  await confirm(page);
  await page.waitForFunction(() => document.querySelector("dialog .failure")?.textContent.length > 10);
  await look("last-owner");
  await page.keyboard.press("Escape");
  await closed(page);

  // An invitation waits in the tab while its person signs in; its secret is in no request's address.
  const bob = await person();
  const link = await invite(alice, "owner");
  expect(link.startsWith(`${url}/invitations#secret=`), `the link is ${link}`);
  const secret = new URL(link).hash.split("=")[1];
  await look("invitation-link");
  await press("Close");
  await closed(page);
  await look("members");
  const asked = [];
  bob.page.on("request", (request) => asked.push(request.url()));
  await bob.page.goto(link);
  await bob.see("Sign in to Atelier");
  await bob.page.goto(links.bob);
  await bob.see("You are invited");
  expect(!bob.page.url().includes(secret), "the secret stays in the address");
  expect(!asked.some((one) => one.split("#")[0].includes(secret)), "the secret was in a request");
  await bob.look("invited");
  await bob.press("Join");
  await bob.see("You are now a member of");
  expect(bob.path() === org, `joined to ${bob.path()}`);

  // Of two who accept one invitation at once one wins, and the other is told.
  const [carol, dave] = [await person(), await person()];
  await Promise.all([signInAs(carol, "carol"), signInAs(dave, "dave")]);
  const second = await invite(alice, "member");
  await press("Close");
  await Promise.all([carol, dave].map((one) => one.page.goto(second)));
  await Promise.all([carol, dave].map((one) => one.see("You are invited")));
  expected.push("400");
  await Promise.all([carol, dave].map((one) => one.press("Join")));
  const told = ({ page: at }) => at.waitForFunction(() => location.pathname.startsWith("/orgs/") ? "joined"
    : document.body.innerText.includes("has been used or revoked") && "told").then((handle) => handle.jsonValue());
  const answers = await Promise.all([told(carol), told(dave)]);
  const [joined, name] = answers[0] === "joined" ? [carol, "carol"] : [dave, "dave"];
  expect(answers.sort().join() === "joined,told", `of two who accept: ${answers}`);
  await page.goto(url + org);
  await see("joined");

  // Keys: scopes in words, shown once, rotated, revoked.
  await page.goto(`${url}/account/keys`);
  await see("No program has a key of yours");
  await press("New key");
  await page.locator("#field-name").fill("laptop");
  await press("Upload files");
  await look("key-form");
  await confirm(page);
  await see("the only time that the key is shown");
  const key = await page.$eval("dialog .copied-text", (field) => field.value);
  expect(key.startsWith("svc_ak_"), "no key is shown");
  const reads = await fetch(`${url}/api/v2/projects`, { headers: { Authorization: `Bearer ${key}` } });
  expect(reads.status === 200, `the key is answered ${reads.status}`);
  await look("key-once");
  await press("I have copied it");
  await closed(page);
  await see("Projects: write");
  expect(!(await page.content()).includes(key), "the key is still in the page");
  await look("keys");
  await press("Rotate");
  await confirm(page);
  await see("the only time that the key is shown");
  await press("I have copied it");
  await closed(page);
  // A key that has ended can't be rotated or revoked.
  const release = await intercept(page, async (request) => {
    if (!request.url().endsWith("/api-keys?limit=100")) return;
    const answer = await fetch(request.url(), { headers: { authorization: request.headers().authorization } });
    const keys = await answer.json();
    keys.apiKeys[1].expiresAt = "2020-02-03T04:05:06Z";
    await request.respond({ status: 200, contentType: "application/json", body: JSON.stringify(keys) });
  });
  await page.reload();
  await see("ended");
  const offered = await page.$$eval("main .entry", (rows) =>
    rows.map((row) => row.querySelectorAll("button").length).join());
  expect(offered === "2,0", `of a live and an ended key are offered: ${offered}`);
  expect(await page.evaluate(() => !document.body.innerText.includes("Revoke all")), "one live key is revoked by all");
  await look("keys-ended");
  await release();
  await page.reload();
  await press("Revoke all");
  await see("Revoke all 2 keys?");
  await look("keys-revoke-all");
  await confirm(page);
  await see("No program has a key of yours");

  await page.goto(`${url}${org}/keys`);
  await see("No machine works here");
  await press("New service account");
  await page.locator("#field-name").fill("nightly build");
  await confirm(page);
  await see("nightly build");
  await closed(page);
  await press("New key");
  await page.locator("#field-name").fill(HOSTILE);
  await confirm(page);
  await see("the only time that the key is shown");
  await press("I have copied it");
  await closed(page);
  await press("Rotate");
  await confirm(page);
  await see("the only time that the key is shown");
  await press("I have copied it");
  await closed(page);
  expect(await page.$$eval(".accounts code", (masks) => masks.length) === 2, "the old key is gone");
  await look("service-accounts");
  await press("Revoke");
  await confirm(page);
  await see("is revoked");
  await closed(page);

  // A team with a member.
  await page.goto(`${url}${org}/teams`);
  await press("New team");
  await page.locator("#field-name").fill("Wheels");
  await confirm(page);
  await closed(page);
  await look("teams");
  await page.waitForSelector(".rows a");
  await page.locator(".rows a").click();
  await see("Add a member");
  await press("Add a member");
  await page.waitForSelector("#field-person");
  await confirm(page);
  await closed(page);
  await look("team-members");

  // A project's settings.
  await page.goto(`${url}/projects`);
  await see("What do you want to build?");
  await page.locator("#field-name").fill("Gearbox");
  await page.select("#field-owner", org.split("/").at(-1));
  await press("Create project");
  await see("All changes are committed.");
  const project = path();
  await press("Hide");
  await page.goto(`${url}${project}/settings`);
  await see("Clone");
  await page.locator("#field-name").fill("Gearboxes");
  await page.select("#field-visibility", "internal");
  await press("Save");
  await see("Saved.");
  await press("Share");
  await page.waitForSelector("#field-person");
  await page.select("#field-person", await page.$$eval("#field-person option",
    (options, wanted) => options.find((one) => one.textContent === wanted).value, name));
  await confirm(page);
  await closed(page);
  await see("shared with directly");
  // An editor sees the settings, and nothing that an editor can't do.
  await joined.page.goto(`${url}${project}/settings`);
  await joined.see("Your role here is Editor.");
  const mayDo = await joined.page.$$eval("main button", (all) =>
    all.map((one) => one.textContent.trim()).filter((said) => /Save|Share|owner|Delete|Remove/.test(said)));
  expect(mayDo.length === 0, `an editor is offered ${mayDo}`);
  expect(await joined.page.$eval("#field-name", (field) => field.disabled), "an editor types a name");
  await joined.look("project-settings-editor");
  await page.locator("input[type=checkbox]").click();
  await look("project-settings");
  await page.goto(`${url}${project}/usage`);
  await see("Nothing was spent");
  await look("usage-empty");

  await page.goto(`${url}${org}/settings`);
  await see("Delete this organization");
  await look("organization-settings");
  await page.goto(`${url}/account`);
  await see("alice@example.com");
  await press("Account");
  await see("Organizations");
  await look("account");

  // Two owners remove each other at once: one does, the other is told, and an owner is left.
  expected.push("404", "403");
  await Promise.all([alice, bob].map((one) => one.page.goto(url + org)));
  for (const [one, other] of [[alice, "bob"], [bob, "alice"]]) {
    await one.see("joined");
    await one.page.evaluate((name) => [...document.querySelectorAll(".entry")]
      .find((entry) => entry.querySelector(".name").textContent === name)
      .querySelector("button.bad").click(), other);
    await one.page.waitForSelector("dialog[open]");
  }
  await Promise.all([confirm(page), confirm(bob.page)]);
  const outcome = ({ page: at }) => at.waitForFunction(() => {
    // The keys that the removed owner made are offered to be revoked.
    const dialog = document.querySelector("dialog");
    if (!dialog || dialog.textContent.includes("Revoke the keys that")) return "removed";
    return document.querySelector("dialog .failure")?.textContent;
  }).then((handle) => handle.jsonValue());
  const outcomes = await Promise.all([outcome(alice), outcome(bob)]);
  expect(outcomes.filter((one) => one === "removed").length === 1, `of two removals: ${outcomes}`);
});
