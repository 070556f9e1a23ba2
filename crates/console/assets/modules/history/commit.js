// A commit: who, when and why, what it changed, and a way to take it back.

import { get } from "../../api/client.js";
import { text } from "../../text.js";
import { addressOf, placeOf } from "../../ui/branch.js";
import { compared } from "../../ui/compared.js";
import { button, h, mark, moment } from "../../ui/dom.js";
import { openProject, projectView } from "../../ui/project.js";
import { toast } from "../../ui/toast.js";
import { askRevert } from "./revert.js";

/** @type {import("../../router.js").Opener} */
export async function openCommit({ project: id, hash }, search) {
  const opened = await openProject(id, search);
  const { project, branch } = opened;
  const { commit } = await get(`/projects/${id}/commits/${hash}`);
  const [subject, ...rest] = commit.message.split("\n");
  const [parent] = commit.parents;
  const conflicts = h("div", {});
  const changes = parent ? await compared(id, parent, hash, placeOf(project, branch)) : null;
  const content = changes?.element ?? h("p", { class: "soft" }, text.versions.first);
  return projectView(project, "/history", text.versions.short(hash), h("div", { class: "page" },
    h("div", { class: "heading" }, h("h1", { dir: "auto", class: "subject" }, subject),
      parent ? button({ name: text.versions.revert, onclick: () => askRevert(opened, hash, conflicts, changes?.nameOf) }) : null),
    rest.length > 0 ? h("p", { class: "message", dir: "auto" }, rest.join("\n").trim()) : null,
    h("div", { class: "byline" }, mark(commit.author.name), h("span", { dir: "auto" }, commit.author.name),
      h("span", { class: "soft" }, moment(commit.createdAt)), h("code", {}, text.versions.short(hash)),
      button({ name: text.versions.copyHash, icon: "copy", kind: "plain", quiet: true,
        onclick: () => void navigator.clipboard.writeText(hash).then(() => toast(text.files.copied)) }),
      commit.parents.map((/** @type {string} */ one) => h("a", { href: addressOf(project, `/commits/${one}`, branch) },
        `${text.versions.parent} ${text.versions.short(one)}`))),
    commit.parents.length > 1 ? h("p", { class: "soft" }, text.versions.firstParent) : null,
    conflicts, content), { below: { name: text.versions.history, href: addressOf(project, "/history", branch) } });
}
