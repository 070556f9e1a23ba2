// Bad input: names that are long, turned, or markup; 500 columns; Markdown, pictures and file names made to break
// pages.

import { HOSTILE, expect, expected, given, intercept, run } from "./driver.mjs";
import { boardOf, callerOf, clickRow, rowOf, signIn } from "./service.mjs";

const [link, org, mallory] = given;
const url = new URL(link).origin;
/** Names are cut to 255 characters; texts have 10,000. */
const LONG = `${HOSTILE} ${"gear".repeat(2_500)}`;
const NAMES = [LONG, HOSTILE, "\u202egnp.exe\u202c and \u2066\u2067\u2068 nested",
  "גלגל שיניים של תיבת ההילוכים", "عجلة مسننة (24)",
  "</script><svg onload=globalThis.broken=1>", "Z\u0351\u036b\u0343algo\u0340\u0341".repeat(12),
  "\u{1f9d1}\u200d\u{1f527}".repeat(40)];
/** A team has 200 columns at most; the console draws the board of a service with other limits, too. */
const COLUMNS = 200;
const DEEP = 1_000;
const BOOM = "globalThis.broken=1";
const MARKDOWN = {
  lists: Array.from({ length: 140 }, (_, depth) => `${" ".repeat(depth)}- ${depth}`).join("\n"),
  quotes: `${"> ".repeat(DEEP)}deep\n\n${"* ".repeat(DEEP)}deep`,
  links: [`[run](javascript:${BOOM})`, `[tab](java\tscript:${BOOM})`, `[data](data:text/html,<script>${BOOM}</script>)`,
    `[vb](vbscript:${BOOM})`, `![picture](https://example.com/spy.png)`, `<img src=x onerror=${BOOM}>`,
    `![inline](data:image/svg+xml,<svg/onload=${BOOM}>)`, "![path](attachment:../../../../secret)",
    "![gone](attachment:0198c5f0-0000-7000-8000-000000000000)",
    `<svg/onload=${BOOM}>`, `[quoted](https://example.com/"onclick=${BOOM})`, `<script>${BOOM}</script>`,
    `<a href="javascript:${BOOM}">a</a>`, `[a](JaVaScRiPt:${BOOM})`, "[a](//example.com/scheme)",
    `\`\`\`html\n</code></pre><script>${BOOM}</script>\n\`\`\``].join("\n\n"),
  table: `|${" a |".repeat(400)}\n|${"-|".repeat(400)}\n|${" wide |".repeat(400)}`,
  patterns: `${"*".repeat(3_000)}${"[".repeat(3_000)}${"_a".repeat(1_900)}`,
};
const LINE = "x".repeat(100_000);
const SVG = `<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" `
  + `width="90000" height="90000" onload="${BOOM}">\n`
  + `<script>${BOOM}; top.broken=1</script>`
  + `<style>@import "https://example.com/spy.css"; * { fill: url(https://example.com/spy) }</style>\n`
  + `<image href="https://example.com/spy.png"/><use xlink:href="https://example.com/spy.svg#a"/>\n`
  + `<foreignObject><iframe xmlns="http://www.w3.org/1999/xhtml" src="javascript:top.broken=1"/></foreignObject>\n`
  + `<a href="javascript:${BOOM}"><rect width="90000" height="90000" fill="teal"/></a>`
  + `<animate onbegin="${BOOM}" attributeName="x" dur="1s"/></svg>`;
const FILES = ["../../x", "..\\..\\con.txt", "a\nb.svg", "\u202egvs.exe.svg", "\u{1f527}.svg",
  "<img src=x onerror=globalThis.broken=1>.svg",
  "%2e%2e%2fx.svg", "';drop table objects;--.svg", `${"long".repeat(60)}.svg`];
const foreign = [];

run(async ({ page, look: lookAt, path }) => {
  page.on("dialog", (dialog) => { foreign.push(`dialog ${dialog.message()}`); void dialog.dismiss(); });
  page.on("request", (request) => { if (request.url().includes("example.com")) foreign.push(request.url()); });
  /** Looks at the page, whose content doesn't scroll sideways either; `quick` leaves out the four looks by axe. */
  const look = async (name, quick = false) => {
    for (const width of [390, 1400]) {
      await page.setViewport({ width, height: 900 });
      const wide = await page.evaluate(() => [...document.querySelectorAll("main, .panel, .object, .page")]
        .filter((one) => one.scrollWidth > one.clientWidth + 1)
        .map((one) => `${one.className || one.tagName} by ${one.scrollWidth - one.clientWidth}`));
      expect(wide.length === 0, `${name} (${width}): too wide: ${wide}`);
    }
    if (!quick) await lookAt(name);
  };
  await signIn(page, link);
  const call = callerOf(page);
  const { project, place, statuses } = await boardOf(call, org, { team: LONG, project: NAMES[2], columns: NAMES });

  // A board of names, and a card with texts.
  const put = async (name, column) => {
    const { card } = await call("POST", `/projects/${project}/cards`, { name });
    await call("PUT", `${place}/cards/${card.id}`, { statusId: statuses[column] });
    return card.id;
  };
  const cards = [];
  for (const [at, name] of NAMES.entries()) cards.push(await put(name, at % 3));
  const { tag } = await call("POST", `/projects/${project}/card-tags`, { name: LONG.slice(0, 100), color: "#10B981" });
  const [first] = cards;
  await call("PUT", `/projects/${project}/cards/${first}/tags/${tag.id}`, {});
  await call("PUT", `/projects/${project}/members/${mallory}`, { role: "editor" });
  await call("PUT", `/projects/${project}/cards/${first}/assignees/${mallory}`, {});
  await page.goto(url + place);
  await page.waitForSelector(`[data-card="${first}"]`);
  expect(await page.$eval(`[data-card="${first}"]`, (one) => one.getBoundingClientRect().width) < 300,
    "a long name widens its card");
  await look("hostile-board");
  await page.goto(`${url}${place}/cards`);
  await page.waitForSelector(".grid-row[data-active], .grid-rows .grid-row");
  await look("hostile-table");
  for (const [name, said] of Object.entries(MARKDOWN)) {
    await call("PATCH", `/projects/${project}/cards/${first}`, { description: said.slice(0, 10_000) });
    await call("POST", `/projects/${project}/cards/${first}/comments`, { body: said.slice(0, 10_000) });
    await page.goto(`${url}/projects/${project}/cards/${first}`);
    await page.waitForSelector(".description .markdown");
    await page.waitForFunction(() => document.querySelector(".comment .markdown"));
    const targets = await page.$$eval(".markdown a", (links) => links.map((one) => one.protocol));
    expect(targets.every((one) => /^(https?|mailto):$/.test(one)), `${name}: links to ${targets}`);
    expect(await page.$$eval(".markdown :is(img, script, svg, iframe)", (found) => found.length) === 0,
      `${name}: markup is in the page`);
    const struck = await page.$$eval(".description .markdown s", (all) => all.map((one) => one.textContent).join());
    expect(struck === (name === "links" ? "gone" : ""), `${name}: ${struck} is struck`);
    await look(`hostile-card-${name}`, name === "lists" || name === "quotes");
  }
  await page.goto(`${url}${place}?card=${first}`);
  await page.waitForSelector(".panel .description .markdown");
  await look("hostile-panel");
  expected.push("400");
  const tooLong = await call("PATCH", `/projects/${project}/cards/${first}`, { description: LINE })
    .catch((error) => String(error));
  expect(String(tooLong).includes("10000") || String(tooLong).includes("10,000"),
    `100,000 characters of a description: ${tooLong}`);

  // Files with names of all kinds, among them pictures that would run.
  await page.goto(`${url}/projects/${project}`);
  await page.waitForSelector("[role=tree]");
  await page.evaluate((names, svg) => {
    const transfer = new DataTransfer();
    for (const name of names) transfer.items.add(new File([svg], name, { type: "image/svg+xml" }));
    const input = document.querySelector("main input[type=file]");
    input.files = transfer.files;
    input.dispatchEvent(new Event("change"));
  }, FILES, SVG);
  await page.waitForFunction(() => /uploaded/.test(document.querySelector(".status")?.textContent ?? ""));
  await page.locator(".status summary").click();
  await look("hostile-uploads");
  const batch = [...NAMES, "../../x", "a\nb"].map((name) => ({ op: "create", name, type: "Part" }));
  for (const { name, type } of batch) {
    await call("POST", `/projects/${project}/objects`, { name, type, data: { [HOSTILE]: LONG } });
  }
  await call("POST", `/projects/${project}/objects`,
    { name: "One line", type: "Code", data: { language: "javascript", text: LINE } });
  await page.goto(`${url}/projects/${project}`);
  await rowOf(page, "One line");
  const names = await page.$$eval(".tree-row .name", (rows) => rows.map((one) => one.textContent));
  expect(names.every((name) => !/[\n\r\0]/.test(name) && name.length <= 512), `names of the tree: ${names}`);
  await look("hostile-tree");
  for (const wanted of ["One line", names.find((name) => name.includes("gvs.exe")),
    names.find((name) => name.startsWith("<img") && name.endsWith(".svg")),
    names.find((name) => name.includes("geargear"))]) {
    await clickRow(page, wanted);
    await page.waitForFunction((name) => document.querySelector(".object h2")?.textContent === name, {}, wanted);
    if (wanted.endsWith(".svg")) await page.waitForFunction(() => document.querySelector(".object img")?.complete);
    await look(`hostile-object-${names.indexOf(wanted)}`, wanted.endsWith(".svg"));
  }
  for (const below of ["/changes", "/history", "/settings", "/branches", "/bom"]) {
    await page.goto(`${url}/projects/${project}${below}`);
    await page.waitForSelector("main h1");
    await look(`hostile${below.replace("/", "-")}`, below !== "/settings");
  }
  await page.goto(`${url}/projects`);
  await page.waitForSelector("main .row");
  await look("hostile-projects");
  await page.keyboard.press("/");
  await page.keyboard.type("gear");
  await page.waitForSelector("dialog [role=option]");
  await look("hostile-palette");
  await page.keyboard.press("Escape");

  // A board of all the columns that a team may have opens, and its last one is reached; one more is refused in words.
  const wide = await boardOf(call, org, { team: "Wide", project: "Wide", columns: [] });
  for (let at = 0; at < COLUMNS; at += 1) await call("POST", `${wide.place}/statuses`, { name: `Column ${at}` });
  await page.goto(url + wide.place);
  await page.waitForFunction((count) => document.querySelectorAll(".column").length === count, {}, COLUMNS);
  await page.$$eval(".column .add button", (all) => all.at(-1).focus());
  await page.waitForFunction(() => document.querySelector(".columns").scrollLeft > 40_000);
  await look("hostile-wide", true);
  await page.locator(".new-column button").click();
  await page.locator("#field-column-name").fill("One more");
  await page.locator("dialog .primary").click();
  await page.waitForFunction(() => document.querySelector("dialog .failure")?.textContent.includes("200 columns"));
  await page.keyboard.press("Escape");
  // 500 columns of an answer that is made up.
  const { board } = await call("GET", `${wide.place}/board`);
  const uuid = (at) => `0198c5f0-0001-7000-8000-${String(at).padStart(12, "0")}`;
  const columns = Array.from({ length: 500 }, (_, at) =>
    ({ ...board.columns[0], status: { ...board.columns[0].status, id: uuid(at), name: NAMES[at % NAMES.length] } }));
  await intercept(page, (request) => request.url().endsWith(`${wide.place}/board`)
    && request.respond({ status: 200, contentType: "application/json",
      body: JSON.stringify({ board: { ...board, columns } }) }));
  await page.goto(url + wide.place);
  await page.waitForFunction(() => document.querySelectorAll(".column").length === 500);
  await look("hostile-500", true);
  expect(path() === wide.place, `came to ${path()}`);
  expect(foreign.length === 0, `something was run or fetched: ${foreign}`);
});
