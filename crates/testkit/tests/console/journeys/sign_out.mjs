// Signs in at a service that is away for a moment, signs out everywhere, which another tab of the person notices, and
// signs out of a service that doesn't answer.

import { expect, expected, given, intercept, run, until } from "./driver.mjs";
import { signIn } from "./service.mjs";

const [desk, phone, train] = given;
const url = new URL(desk).origin;
const tokenOf = (page) => page.evaluate(() => JSON.parse(sessionStorage.getItem("session")).token);
const status = async (token) =>
  (await fetch(`${url}/api/v2/me`, { headers: { Authorization: `Bearer ${token}` } })).status;

run(async (alice, person) => {
  const { page, see, press, follow, look, path } = alice;
  const other = await person();
  // A link works once: a service that is away for a moment must not cost it.
  expected.push("503");
  let refusals = 0;
  const pass = await intercept(page, (request) => {
    if (!request.url().endsWith("/sign-in/ticket") || refusals === 2) return false;
    refusals += 1;
    request.respond({ status: 503, headers: { "Retry-After": "1" } });
    return true;
  });
  await signIn(page, desk);
  await pass();
  expect(refusals === 2, `the ticket was sent ${refusals + 1} times`);
  await signIn(other.page, phone);
  // A sign-in that ended elsewhere says so, and signing in again leads back.
  expected.push("401");
  await page.goto(`${url}/orgs`);
  await see("Create one to work with others");
  await fetch(`${url}/api/v2/me/sign-out`,
    { method: "POST", headers: { Authorization: `Bearer ${await tokenOf(page)}` } });
  await follow("API keys");
  await see("You've been signed out");
  await look("sign-in-ended");
  await page.locator("#field-token").fill(await tokenOf(other.page));
  await press("Sign in with the token");
  await see("No API keys yet");
  expect(path() === "/account/keys", `signing in again leads to ${path()}`);
  const tokens = [await tokenOf(page), await tokenOf(other.page)];
  // A new tab takes the sign-in of the first, and ends with it.
  const tab = await page.browserContext().newPage();
  await tab.goto(`${url}/account`);
  await tab.waitForSelector("::-p-aria([name='Sign out everywhere'])");
  await page.bringToFront();
  await page.goto(`${url}/account`);
  await press("Sign out everywhere");
  await see("on other devices");
  await look("sign-out-everywhere");
  await press("Cancel");
  expect(await status(tokens[0]) === 200, "the question alone ended the token");
  await press("Sign out everywhere");
  await page.locator("dialog .primary").click();
  await see("Sign in to Atelier");
  const signedOut = Math.floor(Date.now() / 1000);
  await tab.waitForFunction(() => document.body.innerText.includes("Sign in to Atelier"));
  for (const token of tokens) expect(await status(token) === 401, `a token is answered ${await status(token)}`);
  await other.page.goto(`${url}/account`);
  await other.see("Sign in to Atelier");
  expect(await other.page.evaluate(() => sessionStorage.length) === 0, "the other tab keeps its token");

  // A token tells whole seconds, and one of the same second has ended with the others.
  await until(() => Date.now() / 1000 > signedOut + 1, "the next second");
  // Nobody is kept in the console by a request that hangs.
  const late = await person();
  await signIn(late.page, train);
  let held = 0;
  await intercept(late.page, (request) => request.url().endsWith("/sign-out") && (held += 1));
  await late.press("Account");
  await late.press("Sign out");
  await late.see("Sign in to Atelier");
  expect(held === 1, `${held} requests were held`);
  expect(await late.page.evaluate(() => sessionStorage.length) === 0, "a token is left");
});
