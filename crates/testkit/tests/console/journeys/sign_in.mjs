// Signs in at an issuer by authorization code with PKCE, renews the token, refuses an answer that nobody asked for, and
// signs out, which ends the token and what could renew it.

import { expect, expected, given, run } from "./driver.mjs";

const [url, issuer] = given;

run(async ({ page, see, press }) => {
  // The tokens of this issuer end within seconds.
  expected.push("401");
  const asked = [];
  page.on("request", (request) => asked.push(request.url()));
  await page.goto(`${url}/projects?q=gear`);
  await see("Sign in to Atelier");
  await press("Sign in");
  await see("No projects match.");
  expect(page.url() === `${url}/projects?q=gear`, `came back to ${page.url()}`);
  expect(!asked.some((one) => one.includes("code_verifier")), "the verifier was in an address");
  await page.reload();
  await see("No projects match.");
  const { token, refresh } = await page.evaluate(() => JSON.parse(sessionStorage.getItem("session")));
  await press("Account");
  await press("Sign out");
  await see("Sign in to Atelier");
  expect(await page.evaluate(() => sessionStorage.length) === 0, "a token is left");
  const answer = await fetch(`${url}/api/v2/me`, { headers: { Authorization: `Bearer ${token}` } });
  expect(answer.status === 401, `the old token is answered ${answer.status}`);
  const form = new URLSearchParams(
    { client_id: "atelier-console", grant_type: "refresh_token", refresh_token: refresh });
  const renewed = await fetch(`${issuer}/token`, { method: "POST", body: form });
  expect(renewed.status === 400, `the issuer renews after the end: ${renewed.status}`);
  await page.goto(`${url}/sign-in?code=stolen&state=foreign`);
  await see("This answer belongs to another sign-in.");
  expect(!page.url().includes("stolen"), `the code stays in ${page.url()}`);
});
