// A page of a project: its record, the branch of the address, and what stands around the content.

import { get } from "../api/client.js";
import { branchesOf, branchList } from "./branch.js";
import { h } from "./dom.js";
import { projectPlaces } from "./places.js";

/** @typedef {{ project: any, branch: string, branches: any[] }} Opened */

/** The project and the branch of the address. @param {string} id @param {URLSearchParams} search @returns {Promise<Opened>} */
export async function openProject(id, search) {
  const [{ project }, branches] = await Promise.all([get(`/projects/${id}`), branchesOf(id)]);
  return { project, branch: search.get("branch") ?? project.defaultBranch, branches };
}

/**
 * The view of a page below a project. `here` is its path below that of the project.
 * @param {any} project @param {string} here @param {string} title @param {Node} content
 * @param {{ close?: () => void, below?: import("../router.js").Crumb }} [options] `below` is the page that this one belongs to
 */
export async function projectView(project, here, title, content, { close, below } = {}) {
  return {
    title: `${title} · ${project.name}`,
    ...(await projectPlaces(project, here, ...(below ? [below] : []), { name: title })),
    content,
    close,
  };
}

/** A heading with the branch switcher. @param {Opened} opened @param {string} title @param {(branch: string) => void} chosen @param {...(Node | null)} actions */
export function branchHeading({ branch, branches }, title, chosen, ...actions) {
  return h("div", { class: "heading" }, h("h1", {}, title),
    branchList({ branches, chosen: branch, onchange: chosen }), ...actions);
}
