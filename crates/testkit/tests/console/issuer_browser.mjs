// Signs in at an issuer by authorization code with PKCE, renews the token, and refuses an answer that nobody asked for.

import puppeteer from "puppeteer-core";

const [executablePath, url] = process.argv.slice(2);
const browser = await puppeteer.launch({ executablePath,
  args: ["--no-sandbox", "--no-proxy-server", "--disable-gpu", "--disable-background-networking"] });
const page = await browser.newPage();
page.setDefaultTimeout(20_000);
const see = (text) => page.waitForFunction((wanted) => document.body.innerText.includes(wanted), {}, text);
const press = (name) => page.locator(`::-p-aria([name="${name}"][role="button"])`).click();
const asked = [];
page.on("request", (request) => asked.push(request.url()));

try {
  await page.goto(`${url}/projects?q=gear`);
  await see("Sign in to Atelier");
  await press("Sign in");
  await see("No project has this in its name.");
  if (page.url() !== `${url}/projects?q=gear`) throw new Error(`came back to ${page.url()}`);
  if (asked.some((one) => one.includes("code_verifier"))) throw new Error("the verifier was in an address");
  await page.reload();
  await see("No project has this in its name.");
  await page.goto(`${url}/sign-in?code=stolen&state=foreign`);
  await see("This answer belongs to another sign-in.");
  if (page.url().includes("stolen")) throw new Error(`the code stays in ${page.url()}`);
} catch (error) {
  console.log(page.url(), error.stack, await page.evaluate(() => document.body.innerText.slice(0, 500)));
  process.exitCode = 1;
}
await browser.close();
