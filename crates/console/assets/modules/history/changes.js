// The uncommitted changes of a branch, with the box that commits them.

import { get, newKey, post } from "../../api/client.js";
import { projectEvents, watch } from "../../api/events.js";
import { open } from "../../router.js";
import { text } from "../../text.js";
import { sendByKey } from "../../ui/actions.js";
import { addressOf, placeOf } from "../../ui/branch.js";
import { comparison, opened as openedIn } from "../../ui/comparison.js";
import { button, fill, h } from "../../ui/dom.js";
import { differingFields } from "../../ui/fields.js";
import { released } from "../../ui/pointer.js";
import { branchHeading, openProject, projectView } from "../../ui/project.js";
import { rowKeys } from "../../ui/row-keys.js";
import { toast } from "../../ui/toast.js";
import { inTreeOrder } from "../../ui/tree-order.js";
import { askDiscard, together } from "./discard.js";

/** @type {import("../../router.js").Opener} */
export async function openChanges({ project: id }, search) {
  const opened = await openProject(id, search);
  const { project, branch } = opened;
  const place = placeOf(project, branch);
  const changesPath = `/projects/${id}/branches/${encodeURIComponent(branch)}/changes`;
  const list = h("div", {});
  const box = commitBox();
  const all = button({ name: text.versions.discardAll, onclick: () =>
    askDiscard({ path: changesPath, total, load, done: () => focusOn(0) }) });
  let [total, turn] = [0, 0];
  let latest = Promise.resolve();

  /** Shows the changes as they are now; done once they are shown, also where a later call shows them. */
  function load() {
    latest = read(++turn);
    return latest;
  }

  /** @param {number} own @returns {Promise<void>} */
  async function read(own) {
    const [changes, { tree }] = await Promise.all([get(changesPath), get(`/projects/${place}/tree`)]);
    await released();
    if (own !== turn) return latest;
    const known = new Map(tree.map((/** @type {any} */ node) => [node.id, node]));
    total = changes.totalObjectChanges;
    box.hidden = all.hidden = total === 0;
    /** @param {string} change @returns {(one: any) => import("../../ui/comparison.js").Entry} */
    const entry = (change) => ({ objectId, parentId, name, type }) => ({
      objectId, parentId, change, name, type,
      fields: async () => differingFields(
        change === "added" ? null : (await get(`/projects/${place}/objects/${objectId}?committed=true`)).object,
        change === "deleted" ? null : (await get(`/projects/${place}/objects/${objectId}`)).object),
      action: { name: text.versions.discard, said: text.versions.discardOf(name), act: () => discard(objectId) },
    });
    const named = (/** @type {string} */ one) => {
      const { name = "", type = "", parent = id } = known.get(one) ?? {};
      return { objectId: one, parentId: parent, name, type };
    };
    const found = [...changes.added.map(named).map(entry("added")), ...changes.modified.map(named).map(entry("modified")),
      ...changes.deletedObjects.map(entry("deleted"))];
    const { entries, nameOf } = inTreeOrder(found, tree, { id, name: text.versions.top });
    const discard = (/** @type {string} */ object) => {
      const one = entries.find(({ objectId }) => objectId === object);
      if (!one) return;
      const at = summaries().findIndex((summary) => idOf(summary) === object);
      askDiscard({ path: changesPath, total, one, some: together(one, entries, tree), load, done: () => focusOn(at) });
    };
    const focused = list.contains(document.activeElement) ? idOf(document.activeElement) : "";
    const isOpen = openedIn(list);
    fill(list, total === 0
      ? h("div", { class: "empty" }, h("p", {}, text.versions.clean),
        h("a", { class: "button primary", href: addressOf(project, "", branch) }, text.versions.toFiles))
      : comparison(entries, { base: { place, commit: changes.committedHash }, head: { place }, nameOf }, { isOpen }));
    if (focused) summaries().find((summary) => idOf(summary) === focused)?.focus();
  }

  /** @param {Element | null} within */
  const idOf = (within) => within?.closest("details[data-id]")?.getAttribute("data-id") ?? "";
  const summaries = () => /** @type {HTMLElement[]} */ ([...list.querySelectorAll("summary")]).filter((one) => one.checkVisibility());
  /** The entry that has taken a place, or what the empty list leads to. @param {number} at */
  function focusOn(at) {
    const all = summaries();
    (all[Math.min(at, all.length - 1)] ?? /** @type {HTMLElement | null} */ (list.querySelector("a")))?.focus();
  }

  function commitBox() {
    const failure = h("p", { class: "failure", role: "alert" });
    const message = h("textarea", { id: "commit-message", name: "message", rows: 2, required: true });
    const draft = `commit:${id}:${branch}`;
    message.value = sessionStorage.getItem(draft) ?? "";
    message.addEventListener("input", () => sessionStorage.setItem(draft, message.value));
    let key = newKey();
    const submit = button({ name: text.files.commit, icon: "commit", kind: "primary", type: "submit" });
    sendByKey(message, () => { if (!submit.disabled) submit.form?.requestSubmit(); });
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

  await load();
  const watched = watch(projectEvents(id), load, ({ type }) => type === "objects.changed" || type === "commit.created");
  const forget = rowKeys(list, "summary", text.versions.changes);
  return projectView(project, "/changes", text.versions.changes, h("div", { class: "page" },
    branchHeading(opened, text.versions.changes, (chosen) => open(addressOf(project, "/changes", chosen)), all), box, list), { close() {
    watched.stop();
    forget();
  } });
}
