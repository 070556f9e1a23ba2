// A team's sprints.

import { all } from "../../api/client.js";
import { teamEvents, watch } from "../../api/events.js";
import { open } from "../../router.js";
import { text } from "../../text.js";
import { button, fill, h, icon } from "../../ui/dom.js";
import { released } from "../../ui/pointer.js";
import { teamPage } from "../../ui/team.js";
import { askFields } from "./dialogs.js";
import { period } from "./dates.js";

/** @type {import("../../router.js").Opener} */
export async function openSprints({ org, team: id }) {
  const { path, view } = await teamPage(org, id, "/sprints", text.sprints.title);
  const list = h("div", { class: "sprint-lists" });
  const create = () => button({ name: text.sprints.create, icon: "plus", kind: "primary",
    onclick: () => askFields(`${path}/sprints`, null, (sprint) => open(`${path}/sprints/${sprint.id}`)) });

  async function load() {
    const sprints = await all(`${path}/sprints`, "sprints");
    await released();
    fill(list, sprints.length === 0 ? h("div", { class: "empty" }, icon("sprint"), h("p", {}, text.sprints.empty), create())
      : ["active", "planned", "completed"].map((state) => group(state, sprints.filter(({ status }) => status === state))));
  }

  /** @param {string} state @param {any[]} sprints */
  function group(state, sprints) {
    if (sprints.length === 0) return null;
    return h("section", { "aria-labelledby": `sprints-${state}` },
      h("h2", { id: `sprints-${state}` }, text.sprints.states[state]),
      h("ul", { class: "rows" }, sprints.map((sprint) => h("li", {},
        h("a", { class: "row sprint-row", href: `${path}/sprints/${sprint.id}` }, icon("sprint"),
          h("span", { class: "name", dir: "auto" }, sprint.name),
          h("span", { class: "soft goal", dir: "auto" }, sprint.description.split("\n")[0]),
          h("span", { class: "soft" }, period(sprint)))))));
  }

  await load();
  const watched = watch(teamEvents(org, id), load, ({ type }) => type.startsWith("sprint."));
  return { ...view, close: watched.stop, content: h("div", { class: "page" },
    h("div", { class: "heading" }, h("h1", {}, text.sprints.title), create()), h("p", { class: "soft" }, text.sprints.lead), list) };
}
