// The commits of a branch, newest first.

import { get } from "../../api/client.js";
import { projectEvents, watch } from "../../api/events.js";
import { open } from "../../router.js";
import { text } from "../../text.js";
import { addressOf } from "../../ui/branch.js";
import { button, fill, h, mark, moment } from "../../ui/dom.js";
import { released } from "../../ui/pointer.js";
import { branchHeading, openProject, projectView } from "../../ui/project.js";
import { rowKeys } from "../../ui/row-keys.js";

/** @type {import("../../router.js").Opener} */
export async function openHistory({ project: id }, search) {
  const opened = await openProject(id, search);
  const { project, branch } = opened;
  const list = h("ol", { class: "rows commits" });
  const more = button({ name: text.files.more, onclick: () => void read(next) });
  const empty = h("div", { class: "empty" }, h("p", {}, text.versions.none),
    h("a", { class: "button primary", href: addressOf(project, "", branch) }, text.versions.toFiles));
  let next = "";

  /** Shows the commits after those that are shown, or the newest in their place. @param {string} after */
  async function read(after) {
    const cursor = after ? `&cursor=${encodeURIComponent(after)}` : "";
    const found = await get(`/projects/${id}/branches/${encodeURIComponent(branch)}/commits?limit=50${cursor}`);
    await released();
    if (!after) fill(list);
    list.append(...found.commits.map((/** @type {any} */ commit) => row(project, branch, commit)));
    next = found.meta.nextCursor ?? "";
    more.hidden = !found.meta.hasMore;
    empty.hidden = list.childElementCount > 0;
  }
  const newest = () => read("");
  await newest();
  const watched = watch(projectEvents(id), newest, ({ type, data }) => type === "commit.created" && data.data?.branch === branch);
  const forget = rowKeys(list, "a.row", text.versions.history);
  return projectView(project, "/history", text.versions.history, h("div", { class: "page" },
    branchHeading(opened, text.versions.history, (chosen) => open(addressOf(project, "/history", chosen))),
    list, empty, more), { close() {
    watched.stop();
    forget();
  } });
}

/** @param {any} project @param {string} branch @param {any} commit */
function row(project, branch, commit) {
  const [subject, ...rest] = commit.message.split("\n");
  return h("li", {}, h("a", { class: "row commit-row", href: addressOf(project, `/commits/${commit.hash}`, branch) },
    mark(commit.author.name), h("span", { class: "name", dir: "auto", title: rest.join("\n").trim() || undefined }, subject),
    h("span", { class: "soft", dir: "auto" }, commit.author.name), h("code", { class: "soft" }, text.versions.short(commit.hash)),
    h("span", { class: "soft" }, moment(commit.createdAt))));
}
