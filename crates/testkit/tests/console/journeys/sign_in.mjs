// Signs in at an issuer by authorization code with PKCE, renews the token, and refuses an answer that nobody asked for.

import { expect, expected, given, run } from "./driver.mjs";

const [url] = given;

run(async ({ page, see, press }) => {
  // The tokens of this issuer end within seconds.
  expected.push("401");
  const asked = [];
  page.on("request", (request) => asked.push(request.url()));
  await page.goto(`${url}/projects?q=gear`);
  await see("Sign in to Atelier");
  await press("Sign in");
  await see("No project has this in its name.");
  expect(page.url() === `${url}/projects?q=gear`, `came back to ${page.url()}`);
  expect(!asked.some((one) => one.includes("code_verifier")), "the verifier was in an address");
  await page.reload();
  await see("No project has this in its name.");
  await page.goto(`${url}/sign-in?code=stolen&state=foreign`);
  await see("This answer belongs to another sign-in.");
  expect(!page.url().includes("stolen"), `the code stays in ${page.url()}`);
});
