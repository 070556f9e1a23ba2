// A team reads how the cards of its projects flow: the chart with its table and file, times, weeks, oldest cards.

import { HOSTILE, becomes, choose, expect, given, run } from "./driver.mjs";
import { callerOf, signIn } from "./service.mjs";

const [link, team, project, doing, done] = given;
const url = new URL(link).origin;
const PART = { chart: "[aria-labelledby=cumulative]", weeks: "[aria-labelledby=throughput]",
  cards: "[aria-labelledby=in-progress]" };

run(async ({ page, see, press, path, look }) => {
  await signIn(page, link);
  const call = callerOf(page);
  const { project: { key } } = await call("GET", `/projects/${project}`);
  const move = async (number, statusId) => {
    const { card } = await call("GET", `/projects/${project}/cards/${key}-${number}`);
    await call("PUT", `${team}/cards/${card.id}`, { statusId });
  };
  const wordsOf = (selector) => page.$eval(selector, (element) => element.textContent);
  const rows = (part) => page.$$eval(`${part} tbody tr`, (all) => all.map((row) =>
    [...row.querySelectorAll("td")].map((cell) => cell.textContent).join(" ")));
  const openTable = async (part) => {
    await page.locator(`${part} summary`).click();
    await page.waitForSelector(`${part} .numbers`);
  };

  // A team without a project has nothing to report.
  const teams = team.slice(0, team.lastIndexOf("/"));
  const { team: { id: idle } } = await call("POST", teams, { name: "Idlers" });
  await page.goto(`${url}${teams}/${idle}/reports?view=flow`);
  await see("This team has no project yet.");
  await look("flow-no-project");

  // Cards that nobody has begun are on the chart alone.
  await page.goto(`${url}${team}/reports`);
  await page.locator("[data-choice=flow]").click();
  await see("No cards of this board were closed in this period.");
  await see("No cards are in progress.");
  const described = async () => /Now: (.*?)\. Closed since .*: (\d+)\.$/.exec(await wordsOf(".chart desc"));
  await becomes("the first description", async () => (await described())?.slice(1).join("; "), "To do 4; 0");
  expect(new URL(page.url()).search === "?view=flow", `the address is ${page.url()}`);
  await look("flow-open");

  await move(1, doing);
  await move(2, doing);
  await move(4, doing);
  await move(1, done);
  await page.reload();
  await page.waitForSelector("[data-figure=lead]");
  await becomes("the description", async () => (await described())?.slice(1).join("; "),
    "To do 1, Doing 2, Done 1; 1");
  const areas = await page.$$(`${PART.chart} .band:not(.key)`);
  expect(areas.length === 3, `the chart has ${areas.length} areas`);
  for (const figure of ["lead", "cycle"]) {
    const value = await wordsOf(`[data-figure=${figure}] .flow-value`);
    expect(/^(less than 1|\d+) min$/.test(value), `the ${figure} time is ${value}`);
  }
  // The card was closed in a week that is not over.
  await becomes("cards of the last week", () => wordsOf("[data-figure=cards] .flow-value"), "0");
  await see("on average, over 1");

  await openTable(PART.chart);
  const days = await rows(PART.chart);
  expect(days.length === 90, `the table has ${days.length} days`);
  expect(days[0] === "1 2 1 3 1 4 1", `the last day is ${days[0]}`);
  await openTable(PART.weeks);
  expect((await rows(PART.weeks))[0] === "1 1", `the last week is ${(await rows(PART.weeks))[0]}`);
  const oldest = await page.$$eval(`${PART.cards} tbody a`, (all) =>
    all.map((card) => [card.pathname, card.querySelector(".name").textContent].join(" ")));
  const place = `/projects/${project}/cards/${key}`;
  // Names lose marks of direction.
  const hostile = HOSTILE.replace("\u202e", "");
  expect(oldest.join() === `${place}-2 Order the hob,${place}-4 ${hostile}`, `the oldest cards are ${oldest}`);
  await look("flow");

  // The file is the service's own, of the days that are shown.
  const first = await wordsOf(".key.closed");
  await page.locator("[data-choice='30']").click();
  await page.waitForFunction((before) =>
    ![null, undefined, before].includes(document.querySelector(".key.closed")?.textContent), {}, first);
  expect(page.url().includes("days=30"), `the address is ${page.url()}`);
  await page.evaluate(() => {
    globalThis.saved = new Promise((done) => {
      const make = URL.createObjectURL;
      URL.createObjectURL = (blob) => (void blob.text().then(done), make(blob));
    });
  });
  await press("Download CSV");
  const lines = (await page.evaluate(() => globalThis.saved)).trim().split("\r\n");
  expect(lines[0] === "day,open,closed,created,done,To do,Doing,Done", `the file begins with ${lines[0]}`);
  expect(lines.length === 31, `the file has ${lines.length} lines`);

  // Another project of the team is chosen, and stays chosen.
  const { id: empty } = await call("POST", "/projects", { name: "Empty shelf", orgId: teams.split("/")[2] });
  await call("PUT", `${team}/projects/${empty}`, {});
  await page.goto(`${url}${team}/reports?view=flow&project=${project}`);
  await page.waitForSelector("[data-figure=lead]");
  await choose(page, "#field-project", "Empty shelf");
  await see("No cards of this board were closed in this period.");
  await page.reload();
  await see("No cards of this board were closed in this period.");
  await becomes("the empty project's description", async () => (await described())?.slice(1).join("; "), "no cards; 0");
  await look("flow-empty");

  await page.goto(`${url}${team}/reports?view=flow&project=${project}`);
  await page.locator(`${PART.cards} tbody a`).click();
  await becomes("the oldest card's page", path, `${place}-2`);
  await see("Order the hob");
});
