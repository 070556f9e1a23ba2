// What a session has cost, beside its budget. Who may not see costs sees the budget alone.

import { get } from "../../api/client.js";
import { text } from "../../text.js";
import { fill, h } from "../../ui/dom.js";
import { credits } from "./parts.js";

const READ_MS = 500;

/** @param {string} path @param {{ credits: number } | null} granted */
export function costMeter(path, granted) {
  const element = h("div", { class: "cost", role: "group", "aria-label": text.sessions.cost });
  let [budget, spent, timer, hidden] = [granted?.credits ?? null, -1, 0, false];

  function draw() {
    if (hidden && budget !== null) fill(element, h("span", {}, text.sessions.budgetIs(credits(budget))));
    if (spent < 0) return;
    fill(element, h("span", { title: text.sessions.cost },
      budget === null ? text.sessions.credits(credits(spent)) : text.sessions.ofBudget(credits(spent), credits(budget))),
    budget === null ? null : h("progress", { class: spent >= budget ? "limit over" : "limit", max: budget, value: Math.min(spent, budget),
      "aria-label": text.sessions.cost }));
  }
  async function read() {
    if (hidden) return;
    const usage = await get(`${path}/usage`).catch((error) => {
      // Not everybody may see what it costs.
      hidden = error.status === 403;
      draw();
    });
    if (!usage) return;
    spent = usage.totals.credits;
    draw();
  }
  void read();
  return {
    element,
    /** Reads the cost after a moment, once for all events of it. */
    later() {
      clearTimeout(timer);
      timer = window.setTimeout(() => void read(), READ_MS);
    },
    /** @param {number} credits */
    limit(credits) {
      if (!(credits > 0)) return;
      budget = credits;
      draw();
    },
    close: () => clearTimeout(timer),
  };
}
