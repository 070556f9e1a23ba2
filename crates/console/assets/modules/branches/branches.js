// The branches of a project: made, compared, merged and deleted.

import { ApiError, get, newKey, post, remove } from "../../api/client.js";
import { projectEvents, watch } from "../../api/events.js";
import { open } from "../../router.js";
import { text } from "../../text.js";
import { addressOf, branchesOf, branchList } from "../../ui/branch.js";
import { ask, field } from "../../ui/dialog.js";
import { button, fill, h, icon, moment } from "../../ui/dom.js";
import { released } from "../../ui/pointer.js";
import { openProject, projectView } from "../../ui/project.js";
import { toast } from "../../ui/toast.js";

/** Most last commits that are read at once; other branches show when they were made. */
const MOST_TIMES = 50;

/** @type {import("../../router.js").Opener} */
export async function openBranches({ project: id }, search) {
  const { project, branches: first } = await openProject(id, search);
  const list = h("ul", { class: "rows aligned" });
  const alone = h("p", { class: "soft" }, text.branches.alone);
  let branches = first;
  /** When each commit was made, of those that are read. @type {Map<string, string>} */
  const times = new Map();

  /** Reads when the branches' last commits were made. */
  async function readTimes() {
    const unknown = [...new Set(branches.map(({ commitHash }) => commitHash))].filter((hash) => !times.has(hash)).slice(0, MOST_TIMES);
    await Promise.all(unknown.map((hash) => get(`/projects/${id}/commits/${hash}`)
      .then(({ commit }) => { times.set(hash, commit.createdAt); }, () => {})));
  }

  function show() {
    fill(list, branches.map(row));
    alone.hidden = branches.length > 1;
  }
  async function load() {
    branches = await branchesOf(id);
    await readTimes();
    await released();
    show();
  }

  /** @param {any} one */
  function row(one) {
    const [name, main] = [encodeURIComponent(one.name), encodeURIComponent(project.defaultBranch)];
    return h("li", { class: "row branch-row" }, icon("branch"),
      h("span", {}, h("a", { class: "name", dir: "auto", href: addressOf(project, "", one.name) }, one.name),
        one.isDefault ? h("span", { class: "badge" }, text.branches.isDefault) : null,
        one.hasChanges ? h("a", { class: "badge changed", href: addressOf(project, "/changes", one.name) }, text.branches.uncommitted) : null),
      h("span", { class: "soft when" }, moment(times.get(one.commitHash) ?? one.createdAt)),
      h("span", { class: "row-actions" }, one.isDefault ? null : [
        h("a", { class: "button plain", "aria-label": text.branches.compareWith(one.name),
          href: `/projects/${id}/compare?base=${main}&head=${name}` }, text.branches.compare),
        h("a", { class: "button plain", "aria-label": text.branches.mergeOf(one.name),
          href: `/projects/${id}/merge?source=${name}&into=${main}` }, text.branches.merge),
        h("button", { class: "button plain", type: "button", "aria-label": text.branches.deleteOf(one.name),
          onclick: () => askDelete(one) }, text.branches.delete)]));
  }

  function askCreate() {
    const key = newKey();
    ask({
      title: text.branches.create,
      action: text.branches.makes,
      fields: [field({ label: text.branches.name, name: "name", required: true }),
        h("div", { class: "field" }, h("span", {}, text.branches.from),
          branchList({ branches, chosen: project.defaultBranch, label: text.branches.from, name: "from" }))],
      async send(form) {
        const { branch } = await post(`/projects/${id}/branches`, { name: form.get("name"), fromBranch: form.get("from") }, { key });
        open(addressOf(project, "", branch.name));
      },
      // Of the two, only the name can be taken.
      about: (error) => (error instanceof ApiError && error.code === "BRANCH_CONFLICT" ? "name" : undefined),
    });
  }

  /** @param {any} one */
  function askDelete(one) {
    ask({
      title: text.branches.deletes(one.name),
      action: text.branches.delete,
      danger: true,
      fields: [h("p", {}, text.branches.deleteHelp)],
      async send() {
        await remove(`/projects/${id}/branches/${encodeURIComponent(one.name)}`);
        toast(text.branches.deleted);
        await load();
      },
    });
  }

  await readTimes();
  show();
  const watched = watch(projectEvents(id), load, ({ type }) => type.startsWith("branch.") || type === "objects.changed"
    || type === "commit.created");
  return projectView(project, "/branches", text.branches.title, h("div", { class: "page" },
    h("div", { class: "heading" }, h("h1", {}, text.branches.title),
      button({ name: text.branches.create, icon: "plus", kind: "primary", onclick: askCreate })), list, alone), { close: watched.stop });
}
