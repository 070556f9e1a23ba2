// Branches as pages choose them: the project's way of naming one in a path, and a list to switch.

import { all } from "../api/client.js";
import { text } from "../text.js";
import { h } from "./dom.js";

/** A project on a branch as a part of the API's paths. @param {any} project @param {string} branch */
export function placeOf(project, branch) {
  return branch === project.defaultBranch ? project.id : encodeURIComponent(`${project.id}--${branch}`);
}

/** A path below a project with the branch, unless that is the default one. @param {any} project @param {string} path @param {string} branch */
export function addressOf(project, path, branch) {
  const query = branch === project.defaultBranch ? "" : `?branch=${encodeURIComponent(branch)}`;
  return `/projects/${project.id}${path}${query}`;
}

/** The branches of a project. @param {string} project @returns {Promise<any[]>} */
export function branchesOf(project) {
  return all(`/projects/${project}/branches`, "branches");
}

/**
 * A list of branches of which one is chosen.
 * @param {{ branches: any[], chosen: string, label?: string, name?: string, onchange?: (branch: string) => void }} options
 */
export function branchList({ branches, chosen, label = text.branches.branch, name, onchange }) {
  const list = h("select", { class: "branch-list", name, "aria-label": label, onchange: () => onchange?.(list.value) },
    branches.map((one) => h("option", { value: one.name, selected: one.name === chosen }, one.name)));
  list.value = chosen;
  return list;
}
