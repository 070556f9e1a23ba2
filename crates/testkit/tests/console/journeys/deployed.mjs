// Signs in to deployments at their issuer, which makes an account, and uploads a file.

import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expected, given, run } from "./driver.mjs";

const folder = mkdtempSync(join(tmpdir(), "deployed-"));
const file = join(folder, "gear.txt");
writeFileSync(file, "Module 2, 20 teeth\n");

run(async ({ page, see, press }) => {
  // The first token of this issuer is too old.
  expected.push("401");
  for (const url of given) {
    await page.goto(`${url}/projects`);
    await see("Sign in to Atelier");
    await press("Sign in");
    await see("A project holds files");
    await page.locator("#field-name").fill("Gearbox");
    await press("Create project");
    await see("All changes are committed.");
    await (await page.$("input[type=file]")).uploadFile(file);
    await see("1 file uploaded.");
    await see("Module 2, 20 teeth");
  }
});
