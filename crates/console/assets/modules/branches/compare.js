// Two branches or commits compared. Of two branches, what the second has changed since both began from the same commit.

import { open } from "../../router.js";
import { text } from "../../text.js";
import { branchList, placeOf } from "../../ui/branch.js";
import { commonCommit } from "../../ui/common-commit.js";
import { compared } from "../../ui/compared.js";
import { h, icon } from "../../ui/dom.js";
import { openProject, projectView } from "../../ui/project.js";

/** @type {import("../../router.js").Opener} */
export async function openCompare({ project: id }, search) {
  const { project, branches } = await openProject(id, search);
  const base = search.get("base") ?? project.defaultBranch;
  const head = search.get("head") ?? project.defaultBranch;
  /** @param {string} from @param {string} to */
  const go = (from, to) => open(`/projects/${id}/compare?base=${encodeURIComponent(from)}&head=${encodeURIComponent(to)}`);
  // A commit's hash may stand in the place of a branch.
  /** @param {string} chosen */
  const choices = (chosen) => (branches.some(({ name }) => name === chosen) ? branches : [{ name: chosen }, ...branches]);
  const isBranch = (/** @type {string} */ wanted) => branches.some(({ name }) => name === wanted);
  const placeIn = (/** @type {string} */ wanted) => (isBranch(wanted) ? placeOf(project, wanted) : id);
  const areBranches = base !== head && isBranch(base) && isBranch(head);
  const common = areBranches ? await commonCommit(id, base, head) : "";
  const { element } = await compared(id, common || base, head, placeIn(head), placeIn(base));
  return projectView(project, "/branches", text.branches.compare, h("div", { class: "page" },
    h("div", { class: "heading" }, h("h1", {}, text.branches.compare),
      h("div", { class: "between" },
        branchList({ branches: choices(base), chosen: base, label: text.branches.base, onchange: (from) => go(from, head) }),
        h("span", { "aria-hidden": "true" }, "→"),
        branchList({ branches: choices(head), chosen: head, label: text.branches.head, onchange: (to) => go(base, to) })),
      areBranches ? h("a", { class: "button", "aria-label": text.branches.mergeOf(head), href:
        `/projects/${id}/merge?source=${encodeURIComponent(head)}&into=${encodeURIComponent(base)}` }, icon("branch"), text.branches.merge) : null),
    areBranches ? h("p", { class: "soft" }, common ? text.versions.since(head, base, common) : text.versions.states(base, head)) : null,
    element));
}
