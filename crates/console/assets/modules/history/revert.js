// Taking a commit back, with its conflicts decided by clicking.

import { ApiError, newKey, post } from "../../api/client.js";
import { open } from "../../router.js";
import { text } from "../../text.js";
import { addressOf, branchList } from "../../ui/branch.js";
import { conflictList } from "../../ui/conflicts.js";
import { ask } from "../../ui/dialog.js";
import { button, fill, h } from "../../ui/dom.js";
import { toast } from "../../ui/toast.js";

/** @typedef {import("../../ui/conflicts.js").Resolution} Resolution */

/**
 * Asks for the branch; conflicts are shown in `place`. `nameOf` knows the objects that the commit changed.
 * @param {import("../../ui/project.js").Opened} opened @param {string} hash @param {Element} place
 * @param {(id: string) => string | undefined} [nameOf]
 */
export function askRevert({ project, branch, branches }, hash, place, nameOf) {
  const key = newKey();
  ask({
    title: text.versions.reverts,
    action: text.versions.revert,
    fields: [h("p", { class: "help" }, text.versions.revertHelp),
      h("div", { class: "field" }, h("span", {}, text.versions.onto),
        branchList({ branches, chosen: branch, label: text.versions.onto, name: "branch" }))],
    async send(form) {
      const onto = String(form.get("branch"));
      try {
        await revert(onto, [], key);
      } catch (error) {
        if (!(error instanceof ApiError) || error.code !== "MERGE_CONFLICT") throw error;
        decide(onto, error.details.conflicts);
      }
    },
  });

  /** @param {string} onto @param {Resolution[]} resolutions @param {string} own */
  async function revert(onto, resolutions, own) {
    const { merge } = await post(`/projects/${project.id}/commits/${hash}/revert`, { branch: onto, resolutions }, { key: own });
    toast(merge.status === "upToDate" ? text.merge.upToDate : text.versions.reverted);
    open(merge.status === "upToDate" ? addressOf(project, "/history", onto)
      : addressOf(project, `/commits/${merge.commitHash}`, onto));
  }

  /** @param {string} onto @param {import("../../ui/conflicts.js").Conflict[]} conflicts */
  function decide(onto, conflicts) {
    /** @type {Resolution[]} */
    let resolutions = [];
    const failure = h("p", { class: "failure", role: "alert" });
    const count = h("span", { class: "soft" }, text.merge.decided(0, conflicts.length));
    const send = button({ name: text.versions.revert, kind: "primary", onclick: () => {
      send.disabled = true;
      revert(onto, resolutions, newKey()).catch((error) => {
        send.disabled = false;
        fill(failure, error.message);
      });
    } });
    send.disabled = true;
    const title = h("h2", { tabindex: "-1" }, text.merge.conflicts(conflicts.length));
    fill(place, h("section", { class: "decision" }, title,
      conflictList({ place: onto === project.defaultBranch ? project.id : encodeURIComponent(`${project.id}--${onto}`), conflicts, nameOf,
        ours: onto, theirs: text.versions.before.toLowerCase(), decided: (found, all) => {
          resolutions = found;
          send.disabled = !all;
          fill(count, text.merge.decided(found.length, conflicts.length));
        } }), failure, h("div", { class: "actions" }, count, send)));
    title.focus();
  }
}
