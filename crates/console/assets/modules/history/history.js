// The commits of a branch, newest first.

import { get } from "../../api/client.js";
import { follow } from "../../api/events.js";
import { open } from "../../router.js";
import { text } from "../../text.js";
import { addressOf } from "../../ui/branch.js";
import { button, fill, h, mark, moment } from "../../ui/dom.js";
import { branchHeading, openProject, projectView } from "../../ui/project.js";

/** @type {import("../../router.js").Opener} */
export async function openHistory({ project: id }, search) {
  const opened = await openProject(id, search);
  const { project, branch } = opened;
  const list = h("ol", { class: "rows commits" });
  const more = button({ name: text.files.more, onclick: () => void add() });
  const empty = h("div", { class: "empty" }, h("p", {}, text.versions.none),
    h("a", { class: "button primary", href: addressOf(project, "", branch) }, text.versions.toFiles));
  let next = "";

  async function add() {
    const cursor = next ? `&cursor=${encodeURIComponent(next)}` : "";
    const found = await get(`/projects/${id}/branches/${encodeURIComponent(branch)}/commits?limit=50${cursor}`);
    list.append(...found.commits.map((/** @type {any} */ commit) => row(project, branch, commit)));
    next = found.meta.nextCursor ?? "";
    more.hidden = !found.meta.hasMore;
    empty.hidden = list.childElementCount > 0;
  }
  await add();
  const stop = follow(`/api/v2/projects/${id}/events`, (event) => {
    if (event.type !== "commit.created" || event.data.data?.branch !== branch) return;
    next = "";
    fill(list);
    void add();
  });
  return projectView(project, "/history", text.versions.history, h("div", { class: "page" },
    branchHeading(opened, text.versions.history, (chosen) => open(addressOf(project, "/history", chosen))),
    list, empty, more), stop);
}

/** @param {any} project @param {string} branch @param {any} commit */
function row(project, branch, commit) {
  const [subject, ...rest] = commit.message.split("\n");
  return h("li", {}, h("a", { class: "row commit-row", href: addressOf(project, `/commits/${commit.hash}`, branch) },
    mark(commit.author.name), h("span", { class: "name", dir: "auto", title: rest.join("\n").trim() || undefined }, subject),
    h("span", { class: "soft", dir: "auto" }, commit.author.name), h("code", { class: "soft" }, text.versions.short(commit.hash)),
    h("span", { class: "soft" }, moment(commit.createdAt))));
}
