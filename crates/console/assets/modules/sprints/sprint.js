// A sprint: its goal, its course as a chart, four numbers that open lists, and its start and completion.

import { all, get } from "../../api/client.js";
import { teamEvents, watch } from "../../api/events.js";
import { open, remember } from "../../router.js";
import { text } from "../../text.js";
import { burndown } from "../../ui/burndown.js";
import { button, fill, h, icon } from "../../ui/dom.js";
import { markdown } from "../../ui/markdown.js";
import { released } from "../../ui/pointer.js";
import { toast } from "../../ui/toast.js";
import { teamPage } from "../../ui/team.js";
import { askComplete, askFields, askRemove, askStart } from "./dialogs.js";
import { period, zoneHint } from "./dates.js";

const PARTS = ["scope_at_start", "added", "removed", "done", "carried_over"];

/** @type {import("../../router.js").Opener} */
export async function openSprint({ org, team: id, sprint: sid }, search) {
  const { path: team, team: { name }, view } = await teamPage(org, id, "/sprints", text.sprints.title);
  const path = `${team}/sprints/${sid}`;
  let { sprint } = await get(path);
  let { report } = await get(`${path}/report`);
  let unit = search.get("unit") === "cards" ? "cards" : search.get("unit") === "effort" || report.scope_at_start.total.effort > 0 ? "effort" : "cards";
  let up = search.get("chart") === "up";
  let list = search.get("list") ?? "";
  const head = h("div", { class: "heading" });
  const facts = h("p", { class: "sprint-facts soft" });
  const goal = h("div", { class: "prose" });
  const numbers = h("div", { class: "tallies", role: "group", "aria-label": text.sprints.title });
  const cards = h("section", { class: "sprint-cards", hidden: true });
  const toBacklog = h("p", {}, h("a", { href: `${team}/backlog` }, text.sprints.fill));
  const chart = h("section", { "aria-label": text.sprints.burndown });

  async function load() {
    [{ sprint }, { report }] = await Promise.all([get(path), get(`${path}/report`)]);
    await released();
    draw();
  }
  // A read that fails leaves what is shown; the next event reads again.
  const changed = () => void load().catch(() => {});

  function actions() {
    const edit = button({ name: text.sprints.edit, onclick: () => askFields(path, sprint, changed) });
    if (sprint.status === "planned") {
      return [button({ name: text.sprints.remove, kind: "plain", onclick: () => askRemove(path, () => open(`${team}/sprints`)) }), edit,
        button({ name: text.sprints.starts, icon: "run", kind: "primary", onclick: () => void start().catch(fail) })];
    }
    if (sprint.status === "completed") return [];
    return [edit, button({ name: text.sprints.completes, icon: "tick", kind: "primary", onclick: () => void complete().catch(fail) })];
  }

  const others = async () => (await all(`${team}/sprints`, "sprints")).filter((one) => one.id !== sid && one.status !== "completed");
  const fail = (/** @type {Error} */ error) => toast(error.message, { bad: true });

  async function start() {
    askStart(path, sprint, (await others()).some(({ status }) => status === "active"), changed);
  }

  async function complete() {
    askComplete(path, report, await others(), changed);
  }

  function draw() {
    fill(head, h("h1", { dir: "auto" }, sprint.name), ...actions());
    fill(facts, h("span", { class: "state", "data-state": sprint.status }, text.sprints.states[sprint.status]),
      h("span", {}, period(sprint)), h("span", {}, zoneHint()));
    fill(goal, markdown(sprint.description));
    const focused = document.activeElement?.getAttribute("data-part");
    fill(numbers, PARTS.map((part) => h("button", { type: "button", class: "tally", "data-part": part,
      "aria-expanded": String(list === part), "aria-controls": "sprint-cards", onclick: () => show(list === part ? "" : part) },
    h("span", { class: "tally-value" }, report[part].total[unit]), h("span", { class: "soft" }, text.sprints.parts[part]))));
    if (focused) /** @type {HTMLElement | null} */ (numbers.querySelector(`[data-part="${focused}"]`))?.focus();
    drawList();
    fill(chart, h("div", { class: "heading" }, h("h2", {}, up ? text.sprints.burnup : text.sprints.burndown),
      choice("chart", [["down", text.sprints.burndown], ["up", text.sprints.burnup]], up ? "up" : "down", (to) => { up = to === "up"; }),
      choice("unit", [["effort", text.sprints.byEffort], ["cards", text.sprints.byCards]], unit, (to) => { unit = to; })),
    report.days.length === 0 ? h("p", { class: "soft" }, text.sprints.noDays)
      : burndown({ days: report.days, start: sprint.start_date, end: sprint.end_date, first: report.scope_at_start.total,
        unit: unit === "effort" ? "effort" : "cards", up, now: Date.parse(report.as_of), isOver: sprint.status === "completed" }));
    toBacklog.hidden = sprint.status === "completed";
  }

  /** @param {string} part */
  function show(part) {
    list = part;
    remember("list", part || null);
    draw();
  }

  function drawList() {
    const part = report[list];
    cards.hidden = !part;
    if (!part) return;
    const unseen = part.total.cards - part.cards.length;
    fill(cards, h("h2", {}, `${text.sprints.parts[list]}: ${text.sprints.tally(part.total.cards, part.total.effort)}`),
      part.total.cards === 0 ? h("p", { class: "soft" }, text.sprints.noCards) : null,
      h("ul", { class: "rows" }, part.cards.map((/** @type {any} */ card) => h("li", {},
        h("a", { class: "row report-row", href: `${team}?card=${card.id}` }, icon("page"),
          h("span", { class: "name", dir: "auto" }, card.name), h("span", { class: "soft", title: text.board.effort }, card.effort || ""))))),
      unseen > 0 ? h("p", { class: "soft" }, text.sprints.hiddenCards(unseen)) : null);
  }

  /** @param {string} name @param {[string, string][]} options @param {string} chosen @param {(to: string) => void} choose */
  function choice(name, options, chosen, choose) {
    return h("div", { class: "switch", role: "group" }, options.map(([value, said]) => h("button", { type: "button",
      "aria-pressed": String(value === chosen), "data-choice": value, onclick: () => {
        choose(value);
        remember(name, value);
        draw();
        /** @type {HTMLElement | null} */ (chart.querySelector(`[data-choice="${value}"]`))?.focus();
      } }, said)));
  }

  draw();
  cards.id = "sprint-cards";
  const watched = watch(teamEvents(org, id), load);
  return {
    ...view,
    title: `${sprint.name} · ${name}`,
    crumbs: [...view.crumbs.slice(0, -1), { name: text.sprints.title, href: `${team}/sprints` }, { name: sprint.name }],
    content: h("div", { class: "page sprint" }, head, facts, goal, numbers, cards, chart,
      toBacklog),
    close: watched.stop,
  };
}
