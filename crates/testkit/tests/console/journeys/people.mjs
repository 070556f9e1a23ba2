// Organizations, invitations, keys, settings and usage; two owners who remove each other, and two who accept at once.

import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { HOSTILE, becomes, choose, expect, expected, given, intercept, run } from "./driver.mjs";
import { signIn } from "./service.mjs";

const links = JSON.parse(given[0]);
const url = new URL(links.alice).origin;
/** A PNG of one pixel. */
const PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
/** The hostile name as the service keeps it: it turns no direction. */
const NAME = HOSTILE.replace("\u202e", "");

/** Waits until a dialog is gone. */
const closed = (page) => page.waitForFunction(() => !document.querySelector("dialog"));
const confirm = (page) => page.locator("dialog .primary").click();

/** The link of a new invitation. */
async function invite({ page, press }, role) {
  await press("Invite a person");
  await choose(page, "#field-role", role);
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
  await see("Create one to work with others");
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
  const link = await invite(alice, "Owner");
  expect(link.startsWith(`${url}/invitations#secret=`), `the link is ${link}`);
  const secret = new URLSearchParams(new URL(link).hash.slice(1)).get("secret");
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
  // It names the organization, the inviter and the role.
  const says = await bob.page.$eval("main .lead", (line) => line.textContent);
  for (const one of [NAME, "alice", "Owner"]) {
    expect(says.toLowerCase().includes(one.toLowerCase()), `the invitation doesn't name ${one}: ${says}`);
  }
  expect(!bob.page.url().includes(secret), "the secret stays in the address");
  expect(!asked.some((one) => one.split("#")[0].includes(secret)), "the secret was in a request");
  await bob.look("invited");
  await bob.press("Join");
  await bob.see("You are now a member of");
  expect(bob.path() === org, `joined to ${bob.path()}`);

  // Of two who accept one invitation at once one wins, and the other is told.
  const [carol, dave] = [await person(), await person()];
  await Promise.all([signInAs(carol, "carol"), signInAs(dave, "dave")]);
  const second = await invite(alice, "Member");
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
  await see("No API keys yet");
  await press("New key");
  await page.locator("#field-name").fill("laptop");
  await press("Upload files");
  await look("key-form");
  await confirm(page);
  await see("You won't see it again");
  const key = await page.$eval("dialog .copied-text", (field) => field.value);
  expect(key.startsWith("svc_ak_"), "no key is shown");
  const reads = await fetch(`${url}/api/v2/projects`, { headers: { Authorization: `Bearer ${key}` } });
  expect(reads.status === 200, `the key is answered ${reads.status}`);
  await look("key-once");
  // Pages without TLS have no clipboard, and copy all the same.
  await page.evaluate(() => {
    Object.defineProperty(navigator, "clipboard", { value: undefined, configurable: true });
    addEventListener("copy", (event) => { globalThis.copied = event.clipboardData.getData("text/plain"); });
  });
  await press("Copy: Key");
  await page.waitForFunction((wanted) => globalThis.copied === wanted, {}, key);
  await see("Copied.");
  await press("I've copied it");
  await closed(page);
  await see("Projects: write");
  expect(!(await page.content()).includes(key), "the key is still in the page");
  await look("keys");
  await press("Rotate");
  await confirm(page);
  await see("You won't see it again");
  await press("I've copied it");
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
  await see("expired");
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
  await see("No API keys yet");

  // A calendar: its address is shown once, and needs no credential.
  await page.goto(`${url}/account/calendars`);
  await see("No calendars yet");
  await press("New calendar");
  await page.locator("#field-name").fill("Work");
  await look("calendar-form");
  await confirm(page);
  await see("You won't see it again");
  const address = await page.$eval("dialog .copied-text", (field) => field.value);
  const calendar = await fetch(new URL(new URL(address).pathname, url));
  const isCalendar = (await calendar.text()).startsWith("BEGIN:VCALENDAR");
  expect(calendar.status === 200 && isCalendar, `the calendar is answered ${calendar.status}`);
  await look("calendar-once");
  await press("I've copied it");
  await closed(page);
  await see("Everything I can read");
  expect(!(await page.content()).includes(address), "the address is still in the page");
  await look("calendars");
  await press("Revoke");
  await see("is revoked");

  await page.goto(`${url}${org}/keys`);
  await see("No service accounts yet");
  await press("New service account");
  await page.locator("#field-name").fill("nightly build");
  await confirm(page);
  await see("nightly build");
  await closed(page);
  await press("New key");
  await page.locator("#field-name").fill(HOSTILE);
  await confirm(page);
  await see("You won't see it again");
  await press("I've copied it");
  await closed(page);
  await press("Rotate");
  await confirm(page);
  await see("You won't see it again");
  await press("I've copied it");
  await closed(page);
  await becomes("the old key is gone", () => page.$$eval(".accounts code", (masks) => masks.length), 2);
  await look("service-accounts");
  // A key that is revoked can be taken back for a while.
  await press("Revoke");
  await see("is revoked");
  await becomes("the revoked key is still listed", () => page.$$eval(".accounts code", (masks) => masks.length), 1);
  await press("Undo");
  await page.waitForFunction(() => document.querySelectorAll(".accounts code").length === 2);
  await press("Revoke");
  await see("is revoked");

  // A role is changed in its row, and undo gives the one before.
  await page.goto(url + org);
  await see("joined");
  const roleOf = `[aria-label^="Role of ${name}"]`;
  await choose(page, roleOf, "Guest");
  await see(`${name}: Guest`);
  await press("Undo");
  await page.waitForFunction((at) => document.querySelector(at)?.textContent.includes("Member"), {}, roleOf);

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
  await choose(page, "#field-owner", NAME);
  await press("Create project");
  await see("All changes are committed.");
  const project = path();
  await press("Hide");
  await page.goto(`${url}${project}/settings`);
  await see("Clone");
  await page.locator("#field-name").fill("Gearboxes");
  await choose(page, "#field-visibility", "Internal");
  await press("Save");
  await see("Saved.");
  await press("Share");
  await page.waitForSelector("#field-person");
  await choose(page, "#field-person", name);
  await confirm(page);
  await closed(page);
  await see("shared with directly");
  // An editor sees the settings, and nothing that an editor can't do.
  await joined.page.goto(`${url}${project}/settings`);
  await joined.see("Your role here is Editor.");
  const mayDo = await joined.page.$$eval("main button", (all) =>
    all.map((one) => one.textContent.trim()).filter((said) => /Save|Share|owner|Delete|Remove/.test(said)));
  expect(mayDo.length === 0, `an editor is offered ${mayDo}`);
  await joined.see("Gearboxes");
  expect(await joined.page.$("#field-name") === null, "an editor types a name");
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

  // The name and the picture that others see.
  const rename = async (name) => {
    await page.locator("#field-name").fill(name);
    await press("Save");
    await page.waitForFunction((wanted) => document.querySelector(".heading h1").textContent === wanted, {}, name);
  };
  await rename("Ada Lovelace");
  const pixel = join(mkdtempSync(join(tmpdir(), "console-")), "me.png");
  writeFileSync(pixel, Buffer.from(PIXEL, "base64"));
  await (await page.waitForSelector("input[type=file][accept]")).uploadFile(pixel);
  await page.waitForSelector(".heading .mark img");
  await look("account-picture");
  await press("Remove picture");
  await page.waitForFunction(() => !document.querySelector(".heading .mark img"));
  await rename("alice");

  // Two owners remove each other at once: one does, the other is told, and an owner is left.
  expected.push("404", "403");
  await Promise.all([alice, bob].map((one) => one.page.goto(url + org)));
  for (const [one, other] of [[alice, "bob"], [bob, "alice"]]) {
    await one.see("joined");
    await one.page.evaluate((name) => [...document.querySelectorAll(".entry")]
      .find((entry) => entry.querySelector(".name").textContent === name)
      .querySelector("button.bad").click(), other);
    await one.see(`${other} is removed`);
  }
  // Removals that wait are sent when the page is left.
  const leave = ({ page: at }) => at.evaluate(() => document.querySelector(".side a[href$='/teams']").click());
  await Promise.all([leave(alice), leave(bob)]);
  const isTold = ({ page: at }) => at.waitForSelector(".toast.bad");
  await Promise.any([isTold(alice), isTold(bob)]);
  await Promise.all([alice.quiet(), bob.quiet()]);
  const outcomes = await Promise.all([alice, bob].map(async ({ page: at }) =>
    (await at.$(".toast.bad") ? "told" : "removed")));
  expect(outcomes.filter((one) => one === "removed").length === 1, `of two removals: ${outcomes}`);
});
