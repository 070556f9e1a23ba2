// What a person waits for in Chromium: a board that opens, cards that move, frames while dragging and scrolling. It prints
// the figures as one line of JSON.

import puppeteer from "puppeteer-core";

const [executablePath, link, boardPath, projectPath] = process.argv.slice(2);
const origin = new URL(link).origin;
const CARDS = 2_000;
const ROUNDS = 7;
const args = ["--no-sandbox", "--no-proxy-server", "--disable-gpu", "--no-first-run", "--disable-background-networking"];

const median = (list) => [...list].sort((one, other) => one - other)[Math.floor(list.length / 2)];

const browser = await puppeteer.launch({ executablePath, args });
const page = await browser.newPage();
page.setDefaultTimeout(60_000);
await page.setViewport({ width: 1400, height: 900 });
await page.goto(link);
await page.waitForFunction(() => !location.pathname.startsWith("/sign-in"));
await page.evaluateOnNewDocument(() => {
  const observer = new MutationObserver(() => {
    if (!document.querySelector("[data-card]")) return;
    observer.disconnect();
    // After the frame that shows it.
    requestAnimationFrame(() => setTimeout(() => { globalThis.opened = performance.now(); }));
  });
  observer.observe(document, { childList: true, subtree: true });
});
const whole = () => page.waitForFunction((count) =>
  document.querySelectorAll("[data-card]").length === count, {}, CARDS);
/** Resolves when no request has ended for half a second; event streams never end. */
const quiet = () => page.evaluate(() => new Promise((done) => {
  let ended = -1;
  const look = () => {
    const now = performance.getEntriesByType("resource").length;
    if (now === ended) return done();
    ended = now;
    setTimeout(look, 500);
  };
  look();
}));

// The first opening fills the browser's cache.
await page.goto(origin + boardPath);
await whole();
const opened = [];
for (let round = 0; round < ROUNDS; round += 1) {
  await page.goto(origin + boardPath);
  await whole();
  opened.push(await page.evaluate(() => globalThis.opened));
}
// What is read again after the opening.
await quiet();

const moved = [];
for (let round = 0; round < ROUNDS; round += 1) {
  await page.evaluate((at) => document.querySelectorAll("[data-column]")[0].querySelectorAll("[data-card]")[at].focus(), round);
  const answered = page.waitForResponse((answer) => answer.request().method() === "PUT");
  await page.keyboard.down("Shift");
  // The key alone is measured.
  await page.evaluate(() => {
    globalThis.moved = 0;
    document.addEventListener("keydown", ({ timeStamp }) => {
      requestAnimationFrame(() => setTimeout(() => { globalThis.moved = performance.now() - timeStamp; }));
    }, { capture: true, once: true });
  });
  await page.keyboard.press("ArrowRight");
  await page.keyboard.up("Shift");
  await page.waitForFunction(() => globalThis.moved);
  moved.push(await page.evaluate(() => globalThis.moved));
  await answered;
  await quiet();
}

// Another tab on the same board, which learns of the moves from the service.
const watching = await browser.newPage();
watching.setDefaultTimeout(60_000);
await watching.goto(origin + boardPath);
await watching.waitForFunction((count) => document.querySelectorAll("[data-card]").length === count, {}, CARDS);
await quiet();
const seen = [];
for (let round = 0; round < ROUNDS; round += 1) {
  const card = await page.evaluate(() => {
    const first = document.querySelector("[data-column] [data-card]");
    first.focus();
    return first.dataset.card;
  });
  await page.keyboard.down("Shift");
  const begun = performance.now();
  await page.keyboard.press("ArrowRight");
  await watching.waitForFunction((id) =>
    document.querySelectorAll("[data-column]")[1].querySelector(`[data-card="${id}"]`), { polling: "mutation" }, card);
  seen.push(performance.now() - begun);
  await page.keyboard.up("Shift");
  await quiet();
}
await watching.close();

const from = await page.evaluate(() => {
  const { x, y } = document.querySelector("[data-column] [data-card]").getBoundingClientRect();
  return { x: x + 30, y: y + 10 };
});
const frames = async (act) => {
  await page.evaluate(() => {
    globalThis.frames = [];
    let last = performance.now();
    const next = (now) => {
      globalThis.frames.push(now - last);
      last = now;
      globalThis.measuring = requestAnimationFrame(next);
    };
    globalThis.measuring = requestAnimationFrame(next);
  });
  await act();
  return page.evaluate(() => {
    cancelAnimationFrame(globalThis.measuring);
    return globalThis.frames.slice(1).sort((one, other) => one - other);
  });
};
await page.mouse.move(from.x, from.y);
await page.mouse.down();
const dragging = await frames(async () => {
  for (let step = 0; step < 120; step += 1) await page.mouse.move(from.x + step * 8, from.y + (step % 20) * 8);
});
await page.mouse.up();

await page.goto(origin + projectPath);
await page.waitForSelector(".tree-row");
await quiet();
const scrolling = await frames(() => page.evaluate(() => new Promise((done) => {
  const tree = document.querySelector("[role=tree]");
  let step = 0;
  const next = () => {
    tree.scrollTop += step % 30 === 29 ? 500_000 : 400;
    step += 1;
    if (step < 300) requestAnimationFrame(next);
    else done();
  };
  requestAnimationFrame(next);
})));
await browser.close();

console.log(JSON.stringify({ openedMs: median(opened), movedMs: median(moved), seenMs: median(seen),
  draggedFrameMs: dragging[Math.floor(dragging.length / 2)], scrolledFrameMs: median(scrolling),
  longestScrolledFrameMs: scrolling.at(-1) }));
