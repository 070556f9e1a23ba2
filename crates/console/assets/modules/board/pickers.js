// Menus that choose a card's assignees, tags, column and objects.

import { all, get, newKey, post, put, remove } from "../../api/client.js";
import { text } from "../../text.js";
import { ask, field } from "../../ui/dialog.js";
import { icon, mark } from "../../ui/dom.js";
import { dot, menu } from "../../ui/menu.js";
import { toast } from "../../ui/toast.js";

/**
 * @typedef {{ project: string, id: string, has: string[], changed: () => unknown }} Subject
 */

/** @param {Promise<unknown>} work @param {() => unknown} changed */
async function attempt(work, changed) {
  try {
    await work;
  } catch (error) {
    toast(error instanceof Error ? error.message : String(error), { bad: true });
  }
  await changed();
}

/** @param {string} path @param {boolean} is */
const relate = (path, is) => (is ? put(path, {}) : remove(path));

/** Chooses assignees among the project's members. @param {Element} anchor @param {Subject} subject */
export async function pickAssignees(anchor, { project, id, has, changed }) {
  const members = await all(`/projects/${project}/members`, "members");
  const assigned = new Set(has);
  menu(anchor, {
    label: text.card.assignees, find: text.card.findPerson, empty: text.card.nobody, stays: true,
    entries: members.map(({ userId, name }) => ({
      name, lead: () => mark(name), checked: assigned.has(userId),
      run: () => {
        if (!assigned.delete(userId)) assigned.add(userId);
        return attempt(relate(`/projects/${project}/cards/${id}/assignees/${userId}`, assigned.has(userId)), changed);
      },
    })),
  });
}

/** Chooses tags of the project, or makes one. @param {Element} anchor @param {Subject} subject */
export async function pickTags(anchor, { project, id, has, changed }) {
  const { tags } = await get(`/projects/${project}/card-tags`);
  const own = new Set(has);
  menu(anchor, {
    label: text.card.tags, find: text.card.findTag, empty: text.card.noTags, stays: true,
    entries: tags.filter((/** @type {any} */ tag) => tag.status === "active" || own.has(tag.id))
      .map((/** @type {any} */ tag) => ({
        name: tag.name, lead: () => dot(tag.color), checked: own.has(tag.id),
        run: () => {
          if (!own.delete(tag.id)) own.add(tag.id);
          return attempt(relate(`/projects/${project}/cards/${id}/tags/${tag.id}`, own.has(tag.id)), changed);
        },
      })),
    create: (query) => ({
      name: text.card.createTag(query), lead: () => icon("plus"),
      run: () => createTag({ project, id, has, changed }, query),
    }),
  });
}

/** @param {Subject} subject @param {string} name */
function createTag({ project, id, changed }, name) {
  const key = newKey();
  const color = field({ label: text.card.color, name: "color", type: "color", value: "#3B82F6" });
  ask({
    title: text.card.newTag, action: text.card.makesTag,
    fields: [field({ label: text.board.name, name: "tag-name", value: name, required: true }), color],
    async send(form) {
      const { tag } = await post(`/projects/${project}/card-tags`,
        { name: form.get("tag-name"), color: String(form.get("color")).toUpperCase() }, { key });
      await put(`/projects/${project}/cards/${id}/tags/${tag.id}`, {});
      await changed();
    },
  });
}

/** Links an object of the project's tree, found by its name. @param {Element} anchor @param {Subject} subject */
export async function pickObject(anchor, { project, id, has, changed }) {
  /** @param {string} query */
  const search = async (query) => {
    if (!query) return [];
    const { tree } = await get(`/projects/${project}/tree?q=${encodeURIComponent(query)}`);
    return tree.filter((/** @type {any} */ node) => !has.includes(node.id)).slice(0, 50)
      .map((/** @type {any} */ node) => ({
        name: node.name, lead: () => icon("file"),
        run: () => attempt(put(`/projects/${project}/cards/${id}/objects/${node.id}`, {}), changed),
      }));
  };
  menu(anchor, { label: text.card.link, find: text.card.findObject, empty: text.card.noObject, entries: [], search });
}

/** Chooses a sprint, or none. @param {Element} anchor @param {any[]} sprints @param {string | null} at @param {(to: string | null) => unknown} put */
export function pickSprint(anchor, sprints, at, put) {
  menu(anchor, { label: text.card.sprint, entries: [
    ...sprints.filter(({ id, status }) => status !== "completed" || id === at)
      .map(({ id, name }) => ({ name, checked: id === at, run: () => { if (id !== at) put(id); } })),
    { name: text.card.noSprint, checked: at === null, run: () => { if (at !== null) put(null); } }] });
}

/**
 * Chooses a card's column, and its end of the present one. `others` come after them.
 * @param {Element} anchor @param {{ columns: { status: any }[], at: string, move: (to: string, end: "top" | "bottom") => void,
 *   others?: import("../../ui/menu.js").Entry[] }} options
 */
export function pickColumn(anchor, { columns, at, move, others = [] }) {
  menu(anchor, {
    label: text.card.moveTo, find: columns.length > 8 ? text.card.findColumn : undefined,
    entries: [
      ...columns.map(({ status }) => ({ name: status.name, lead: () => dot(status.color), checked: status.id === at,
        run: () => { if (status.id !== at) move(status.id, "bottom"); } })),
      { name: text.card.toTop, part: "ends", run: () => move(at, "top") },
      { name: text.card.toBottom, part: "ends", run: () => move(at, "bottom") },
      ...others,
    ],
  });
}
