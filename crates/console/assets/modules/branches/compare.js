// Two branches or commits compared.

import { open } from "../../router.js";
import { text } from "../../text.js";
import { branchList } from "../../ui/branch.js";
import { compared } from "../../ui/compared.js";
import { h } from "../../ui/dom.js";
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
  return projectView(project, "/branches", text.branches.compare, h("div", { class: "page" },
    h("div", { class: "heading" }, h("h1", {}, text.branches.compare),
      branchList({ branches: choices(base), chosen: base, label: text.branches.base, onchange: (from) => go(from, head) }),
      h("span", { "aria-hidden": "true" }, "→"),
      branchList({ branches: choices(head), chosen: head, label: text.branches.head, onchange: (to) => go(base, to) })),
    await compared(id, base, head)));
}
