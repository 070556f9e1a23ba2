// Boards as large as they get: what is drawn, how soon, and that a move stays quick. The service's answers are made
// here, because 2,000 cards take a minute to place. `MEASUREMENTS` names a file for the figures.

import { appendFileSync } from "node:fs";
import { becomes, expect, given, intercept, run } from "./driver.mjs";

const [link, board, project] = given;
const url = new URL(link).origin;
/** A machine that is busy with other tests must not fail this one. */
const MOST_MOVE_MS = 3_000;
const MOST_OPEN_MS = 15_000;
/** More than the cards of a screen, which are drawn and left out together. */
const STEPS = 30;

const id = (kind, at) => `0198c5f0-${String(kind).padStart(4, "0")}-7000-8000-${String(at).padStart(12, "0")}`;

function boardOf(columns, cards) {
  const status = (at) => ({ id: id(1, at), name: `Column ${at}`, color: "#3B82F6", wip_limit: at % 3 ? null : 150,
    wip_unit: "count", wip_policy: "warn", transition_state: "started", closeMode: "off" });
  const card = (at) => ({ id: id(2, at), name: `Card ${at}: turn the blank and cut its teeth`, project_id: project,
    is_open: true, key: `GEAR-${at + 1}`, priority: at % 4 ? "none" : "high", type: "task", parent_id: null,
    is_blocked: at % 9 === 0, checklist: { total: at % 6, done: at % 2 ? 1 : 0 }, effort: at % 8,
    deadline: at % 5 ? null : "2026-12-24T00:00:00Z", sprint_id: null, rank: "a0",
    assignees: at % 2 ? [{ id: id(3, at % 7), display_name: `Person ${at % 7}` }] : [],
    tags: at % 3 ? [{ id: id(4, at % 5), name: `tag ${at % 5}`, color: "#10B981" }] : [], fields: {} });
  const each = cards / columns;
  const column = (at) => ({ status: status(at), card_count: each, effort: 100, wip_exceeded: false,
    cards: Array.from({ length: each }, (_, below) => card(at * each + below)) });
  return { board: { fields: [], field_users: [], columns: Array.from({ length: columns }, (_, at) => column(at)) } };
}

run(async ({ page, see }) => {
  await page.goto(link);
  await see("Projects");
  let answer = {};
  await intercept(page, (request) => {
    const json = (body) =>
      request.respond({ status: 200, contentType: "application/json", body: JSON.stringify(body) });
    if (request.url().endsWith(`${board}/board`)) return json(answer);
    // The board that is made up has no events, which would have it read again.
    if (request.url().endsWith(`${board}/events`)) return request.respond({ status: 204 });
    if (request.method() === "PUT" && request.url().includes("/cards/")) return json({ card: { is_open: true } });
    return undefined;
  });
  await page.evaluateOnNewDocument(() => {
    new MutationObserver((_, observer) => {
      if (!document.querySelector("[data-card]")) return;
      observer.disconnect();
      requestAnimationFrame(() => setTimeout(() => { globalThis.opened = performance.now(); }));
    }).observe(document, { childList: true, subtree: true });
  });

  for (const [columns, cards] of [[20, 2_000], [100, 1_000], [4, 2_000]]) {
    answer = boardOf(columns, cards);
    await page.goto(url + board);
    await page.waitForFunction((count) => document.querySelectorAll("[data-card]").length === count, {}, cards);
    await page.reload();
    await page.waitForFunction((count) => document.querySelectorAll("[data-card]").length === count, {}, cards);
    const opened = await page.evaluate(() => globalThis.opened);
    expect(opened < MOST_OPEN_MS, `${cards} cards in ${columns} columns took ${opened} ms to open`);

    const first = id(2, 0);
    await page.focus(`[data-card="${first}"]`);
    await page.keyboard.down("Shift");
    await page.evaluate(() => {
      globalThis.moved = 0;
      document.addEventListener("keydown", () => {
        const begun = performance.now();
        requestAnimationFrame(() => setTimeout(() => { globalThis.moved = performance.now() - begun; }));
      }, { capture: true, once: true });
    });
    await page.keyboard.press("ArrowRight");
    await page.keyboard.up("Shift");
    await page.waitForFunction(() => globalThis.moved);
    const moved = await page.evaluate(() => globalThis.moved);
    expect(moved < MOST_MOVE_MS, `a move among ${cards} cards took ${moved} ms`);
    await page.waitForFunction((card) => document.querySelectorAll("[data-column]")[1].contains(document.activeElement)
      && document.activeElement.dataset.card === card, {}, first);

    // Down a long column, and back into the other: all cards stay in their order.
    const wanted = answer.board.columns.map((column) => column.cards.map((card) => card.id));
    wanted[1].unshift(wanted[0].shift());
    const isDrawn = () => page.evaluate((order) =>
      order === JSON.stringify([...document.querySelectorAll("[data-column]")]
        .map((column) => [...column.querySelectorAll("[data-card]")].map((card) => card.dataset.card))),
      JSON.stringify(wanted));
    await becomes(`the order after a move among ${cards} cards`, isDrawn, true);
    const steps = Math.min(STEPS, wanted[1].length - 1);
    await page.keyboard.down("Shift");
    for (let step = 0; step < steps; step += 1) await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowLeft");
    await page.keyboard.up("Shift");
    wanted[1].shift();
    wanted[0].splice(steps, 0, first);
    await becomes(`the order after ${steps} moves among ${cards} cards`, isDrawn, true);
    await page.waitForFunction((card) => document.activeElement.dataset.card === card, {}, first);
    await page.evaluate(() => document.querySelector("[data-card]").scrollIntoView());

    // Frames while a card is dragged across the board.
    const from = await page.evaluate(() => {
      const { x, y } = document.querySelector("[data-column] [data-card]").getBoundingClientRect();
      return { x: x + 30, y: y + 10 };
    });
    await page.mouse.move(from.x, from.y);
    await page.mouse.down();
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
    for (let step = 0; step < 60; step += 1) await page.mouse.move(from.x + step * 12, from.y + (step % 20) * 8);
    await page.mouse.up();
    const frames = await page.evaluate(() => {
      cancelAnimationFrame(globalThis.measuring);
      return globalThis.frames.slice(1).sort((one, other) => one - other);
    });
    // Scrolling to the last card.
    const scrolled = await page.evaluate(() => new Promise((done) => {
      const list = document.querySelector(".cards");
      const times = [];
      let [last, step] = [performance.now(), 0];
      const next = (now) => {
        times.push(now - last);
        last = now;
        list.scrollTop += 300;
        document.querySelector(".columns").scrollLeft += 200;
        step += 1;
        if (step < 60) requestAnimationFrame(next);
        else done(times.slice(1).sort((one, other) => one - other));
      };
      requestAnimationFrame(next);
    }));
    const of = (sorted, part) => Math.round(sorted[Math.floor((sorted.length - 1) * part)] ?? 0);
    if (process.env.MEASUREMENTS) {
      appendFileSync(process.env.MEASUREMENTS, `${columns} columns, ${cards} cards: `
        + `first cards ${Math.round(opened)} ms, move ${Math.round(moved)} ms, `
        + `frames while dragging median ${of(frames, 0.5)} p95 ${of(frames, 0.95)} ms (${frames.length}), `
        + `scrolling median ${of(scrolled, 0.5)} p95 ${of(scrolled, 0.95)} most ${of(scrolled, 1)} ms\n`);
    }
  }
});
