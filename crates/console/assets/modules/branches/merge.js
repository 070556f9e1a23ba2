// Merging a branch: the outcome is computed first, conflicts are decided by clicking, and then it is done.

import { ApiError, newKey, post } from "../../api/client.js";
import { projectEvents, watch } from "../../api/events.js";
import { open } from "../../router.js";
import { text } from "../../text.js";
import { addressOf, branchesOf, branchList, placeOf } from "../../ui/branch.js";
import { commonCommit } from "../../ui/common-commit.js";
import { compared } from "../../ui/compared.js";
import { conflictList } from "../../ui/conflicts.js";
import { button, fill, h } from "../../ui/dom.js";
import { openProject, projectView } from "../../ui/project.js";
import { toast } from "../../ui/toast.js";

/** @typedef {import("../../ui/conflicts.js").Resolution} Resolution */

/** @type {import("../../router.js").Opener} */
export async function openMerge({ project: id }, search) {
  const { project, branches } = await openProject(id, search);
  const into = search.get("into") ?? project.defaultBranch;
  const source = search.get("source") ?? branches.find(({ name }) => name !== into)?.name ?? into;
  const path = `/projects/${id}/branches/${encodeURIComponent(into)}/merge`;
  const [said, failure] = [h("p", { class: "outcome", role: "status" }), h("p", { class: "failure", role: "alert" })];
  const [conflicts, content, count] = [h("div", {}), h("div", { class: "incoming" }), h("span", { class: "soft" })];
  const merge = button({ name: text.branches.merge, icon: "branch", kind: "primary", onclick: () => void send() });
  /** @type {Resolution[]} */
  let resolutions = [];
  let expectedHead = "";
  let key = newKey();
  merge.hidden = true;

  /** What the outcome depends on. @param {any[]} all */
  const stateOf = (all) => JSON.stringify([source, into].map((name) => all.find((one) => one.name === name)));
  let state = stateOf(branches);

  async function tryOut() {
    if (source === into) return void fill(said, text.merge.same);
    let base = "";
    try {
      const { merge: found } = await post(path, { source, dryRun: true }, { key: undefined });
      expectedHead = found.previousHash;
      // Histories without a common commit have zeros in its place.
      base = /^0+$/.test(found.baseHash) ? "" : found.baseHash;
      for (const one of [failure, conflicts, count]) fill(one);
      merge.disabled = false;
      fill(said, found.status === "fastForward" ? text.merge.fastForward(into)
        : found.status === "merged" ? text.merge.merged : text.merge.upToDate);
      merge.hidden = found.status === "upToDate";
    } catch (error) {
      for (const one of [said, failure, conflicts, count, content]) fill(one);
      merge.hidden = true;
      await refused(error);
    }
    if (merge.hidden && conflicts.childElementCount === 0) return;
    // A refusal for conflicts doesn't tell the common commit.
    base ||= await commonCommit(id, into, source);
    const { element } = await compared(id, base || into, source, placeOf(project, source), placeOf(project, into));
    fill(content, h("h2", {}, text.merge.what),
      h("p", { class: "soft" }, base ? text.versions.since(source, into, base) : text.versions.states(into, source)), element);
  }

  /** @param {unknown} error */
  async function refused(error) {
    if (!(error instanceof ApiError) || error.code !== "MERGE_CONFLICT") {
      const isBranch = error instanceof ApiError && error.code === "BRANCH_CONFLICT";
      const hasChanges = isBranch && (await branchesOf(id)).find(({ name }) => name === into)?.hasChanges;
      return fill(failure, error instanceof Error ? error.message : "", hasChanges
        ? h("a", { class: "button", href: addressOf(project, "/changes", into) }, text.merge.toChanges(into)) : null);
    }
    const found = error.details.conflicts;
    resolutions = [];
    fill(said, text.merge.conflicts(found.length));
    fill(count, text.merge.decided(0, found.length));
    fill(conflicts, conflictList({ place: placeOf(project, into), theirPlace: placeOf(project, source), conflicts: found,
      ours: into, theirs: source, decided: (made, all) => {
        resolutions = made;
        merge.disabled = !all;
        fill(count, text.merge.decided(made.length, found.length));
      } }));
    merge.hidden = false;
    merge.disabled = true;
  }

  async function send() {
    merge.disabled = true;
    fill(failure);
    try {
      const { merge: done } = await post(path, { source, resolutions, expectedHead: expectedHead || undefined }, { key });
      toast(text.merge.done(done.commitHash));
      open(addressOf(project, `/commits/${done.commitHash}`, into));
    } catch (error) {
      key = newKey();
      merge.disabled = false;
      await refused(error);
    }
  }

  await tryOut();
  // What was decided stays; a merge of what has changed since is refused with the new conflicts.
  async function readAgain() {
    const now = stateOf(await branchesOf(id));
    if (now === state || resolutions.length > 0) return;
    state = now;
    await tryOut();
  }
  const watched = watch(projectEvents(id), readAgain, ({ type, data }) => [source, into].includes(data.data?.branch ?? into)
      && (type === "commit.created" || type === "objects.changed"));
  /** @param {string} from @param {string} to */
  const go = (from, to) => open(`/projects/${id}/merge?source=${encodeURIComponent(from)}&into=${encodeURIComponent(to)}`);
  return projectView(project, "/branches", text.merge.title, h("div", { class: "page" },
    h("div", { class: "heading" }, h("h1", {}, text.merge.title),
      h("div", { class: "between" },
        branchList({ branches, chosen: source, label: text.merge.from, onchange: (from) => go(from, into) }),
        h("span", { "aria-hidden": "true" }, text.merge.into),
        branchList({ branches, chosen: into, label: text.merge.into, onchange: (to) => go(source, to) }))),
    said, conflicts, failure, h("div", { class: "actions" }, count, merge), content), { close: watched.stop });
}
