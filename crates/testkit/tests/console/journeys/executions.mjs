// A person without a model opens a session.

import { given, run } from "./driver.mjs";

const [link, project] = given;
const url = new URL(link).origin;

run(async ({ page, see, press, look }) => {
  await page.goto(link);
  await see("Projects");
  await page.goto(`${url}/projects/${project}/sessions`);
  await press("Open a session");
  await see("No model is configured");
  await page.locator("dialog .primary").click();
  await see("The operator sets ATELIER_MODELS_FILE");
  await look("session-no-model");
});
