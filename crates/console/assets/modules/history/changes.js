// The uncommitted changes of a branch, with the box that commits them.

import { get, newKey, post, remove } from "../../api/client.js";
import { projectEvents, watch } from "../../api/events.js";
import { open } from "../../router.js";
import { text } from "../../text.js";
import { addressOf, placeOf } from "../../ui/branch.js";
import { comparison } from "../../ui/comparison.js";
import { ask } from "../../ui/dialog.js";
import { button, fill, h } from "../../ui/dom.js";
import { differingFields } from "../../ui/fields.js";
import { released } from "../../ui/pointer.js";
import { branchHeading, openProject, projectView } from "../../ui/project.js";
import { toast } from "../../ui/toast.js";

/** @type {import("../../router.js").Opener} */
export async function openChanges({ project: id }, search) {
  const opened = await openProject(id, search);
  const { project, branch } = opened;
  const place = placeOf(project, branch);
  const changesPath = `/projects/${id}/branches/${encodeURIComponent(branch)}/changes`;
  const list = h("div", {});
  const box = commitBox();
  const all = button({ name: text.versions.discardAll, onclick: () => askDiscard(null, "", total) });
  let [total, turn] = [0, 0];

  async function load() {
    const own = ++turn;
    const [changes, { tree }] = await Promise.all([get(changesPath), get(`/projects/${place}/tree`)]);
    await released();
    if (own !== turn) return;
    const known = new Map(tree.map((/** @type {any} */ node) => [node.id, node]));
    total = changes.totalObjectChanges;
    box.hidden = all.hidden = total === 0;
    /** @param {string} change @returns {(one: any) => import("../../ui/comparison.js").Entry} */
    const entry = (change) => ({ objectId, name, type }) => ({
      objectId, change, name, type,
      fields: async () => differingFields(
        change === "added" ? null : (await get(`/projects/${place}/objects/${objectId}?committed=true`)).object,
        change === "deleted" ? null : (await get(`/projects/${place}/objects/${objectId}`)).object),
      action: { name: text.versions.discard, act: () => askDiscard(objectId, name, 1) },
    });
    const named = (/** @type {string} */ one) => ({ objectId: one, name: known.get(one)?.name ?? "", type: known.get(one)?.type ?? "" });
    const entries = [...changes.added.map(named).map(entry("added")), ...changes.modified.map(named).map(entry("modified")),
      ...changes.deletedObjects.map(entry("deleted"))];
    fill(list, total === 0
      ? h("div", { class: "empty" }, h("p", {}, text.versions.clean),
        h("a", { class: "button primary", href: addressOf(project, "", branch) }, text.versions.toFiles))
      : comparison(entries, { base: { place, commit: changes.committedHash }, head: { place },
        nameOf: (one) => (one === id ? project.name : known.get(one)?.name) }));
  }

  function commitBox() {
    const failure = h("p", { class: "failure", role: "alert" });
    const message = h("textarea", { id: "commit-message", name: "message", rows: 2, required: true });
    const draft = `commit:${id}:${branch}`;
    message.value = sessionStorage.getItem(draft) ?? "";
    message.addEventListener("input", () => sessionStorage.setItem(draft, message.value));
    let key = newKey();
    const submit = button({ name: text.files.commit, icon: "commit", kind: "primary", type: "submit" });
    return h("form", { class: "commit-box", onsubmit: async (/** @type {Event} */ event) => {
      event.preventDefault();
      submit.disabled = true;
      fill(failure);
      try {
        const { commit } = await post(`/projects/${id}/branches/${encodeURIComponent(branch)}/commits`, { message: message.value }, { key });
        key = newKey();
        sessionStorage.removeItem(draft);
        message.value = "";
        toast(text.files.committed(commit.hash));
        open(addressOf(project, `/commits/${commit.hash}`, branch));
      } catch (error) {
        fill(failure, error instanceof Error ? error.message : "");
      } finally {
        submit.disabled = false;
      }
    } }, h("div", { class: "field" }, h("label", { for: "commit-message" }, text.files.message), message), failure,
    h("div", { class: "actions" }, submit));
  }

  /** @param {string | null} object @param {string} name @param {number} count */
  function askDiscard(object, name, count) {
    ask({
      title: object ? text.versions.discards : text.versions.discardsAll,
      action: text.versions.discard,
      fields: [h("p", { dir: "auto" }, object ? text.versions.goesOne(name) : text.versions.goes(count))],
      async send() {
        await remove(object ? `${changesPath}?objectIds=${object}` : changesPath);
        toast(text.versions.discarded);
        await load();
      },
    });
  }

  await load();
  const watched = watch(projectEvents(id), load, ({ type }) => type === "objects.changed" || type === "commit.created");
  return projectView(project, "/changes", text.versions.changes, h("div", { class: "page" },
    branchHeading(opened, text.versions.changes, (chosen) => open(addressOf(project, "/changes", chosen)), all), box, list), watched.stop);
}
