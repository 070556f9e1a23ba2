// Edits of the tree: they are shown at once, and go back with the reason where the service refuses them.

import { changeKnown, newKey, post } from "../../api/client.js";
import { text } from "../../text.js";
import { ask, field } from "../../ui/dialog.js";
import { h } from "../../ui/dom.js";
import { toast } from "../../ui/toast.js";
import { sortedTree } from "../../ui/tree-order.js";
import { askMove } from "./move.js";
import { askProperties } from "./properties.js";

/**
 * The edits of a branch's objects. `added` has those that were never committed.
 * @param {{ place: string, root: string, rootName: string, nodes: () => any[], added: () => string[], show: (nodes: any[]) => void,
 *   loaded: () => Promise<void>, select: (id: string | null) => void }} options
 */
export function edits({ place, root, rootName, nodes, added, show, loaded, select }) {
  const path = (/** @type {string} */ id) => `/projects/${place}/objects/${id}`;
  const node = (/** @type {string} */ id) => nodes().find((one) => one.id === id);

  /** Shows `changed` at once, and sends it. @param {any} before @param {any[]} shown @param {() => Promise<any>} send */
  async function optimistic(before, shown, send) {
    const old = nodes();
    show(shown);
    try {
      await send();
      await loaded();
      return true;
    } catch (error) {
      show(old);
      toast(text.files.refused(before.name, error instanceof Error ? error.message : ""), { bad: true });
      // The reason is told already, and the old tree is shown.
      await loaded().catch(() => {});
      return false;
    }
  }

  /** @param {string} id @param {string} name */
  function rename(id, name) {
    return optimistic(node(id), nodes().map((one) => (one.id === id ? { ...one, name } : one)),
      () => changeKnown("PATCH", path(id), { name }));
  }

  /** Whether `id` is `above` or below it. @param {string} id @param {string} above */
  function isBelow(id, above) {
    const parents = new Map(nodes().map((one) => [one.id, one.parent]));
    for (let at = /** @type {string | undefined} */ (id); at; at = parents.get(at)) if (at === above) return true;
    return false;
  }

  /** @param {string} id @param {string} parent */
  async function move(id, parent) {
    const moved = node(id);
    if (!moved || moved.parent === parent || isBelow(parent, id)) return;
    const shown = nodes().map((one) => one.id === id ? { ...one, parent }
      : one.id === parent ? { ...one, childrenCount: one.childrenCount + 1 }
        : one.id === moved.parent ? { ...one, childrenCount: one.childrenCount - 1 } : one);
    if (await optimistic(moved, shown, () => changeKnown("PATCH", path(id), { parent }))) select(id);
  }

  return {
    move,
    /** @param {string} id */
    askRename(id) {
      const { name } = node(id);
      ask({ title: text.files.rename, action: text.files.rename,
        fields: [field({ label: text.files.name, name: "name", value: name, required: true })],
        async send(form) { void rename(id, String(form.get("name")).trim()); } });
    },
    /** @param {string} id */
    askMove(id) {
      askMove({ nodes: sortedTree(nodes(), root), one: node(id), root: { id: root, name: rootName }, isBelow,
        move: (parent) => void move(id, parent) });
    },
    /** @param {string} id */
    askDelete(id) {
      const one = node(id);
      const gone = new Set(nodes().filter((other) => isBelow(other.id, id)).map((other) => other.id));
      ask({ title: text.files.deletes(one.name), action: text.files.delete, danger: true,
        fields: lossOf(gone, new Set(added())),
        async send() {
          const shown = nodes().filter((other) => !gone.has(other.id)).map((other) =>
            (other.id === one.parent ? { ...other, childrenCount: other.childrenCount - 1 } : other));
          void optimistic(one, shown, () => changeKnown("DELETE", path(id))).then((done) => {
            if (!done) return;
            select(null);
            toast(text.files.deleted);
          });
        } });
    },
    /** @param {string} parent @param {boolean} isFolder */
    askCreate(parent, isFolder) {
      const key = newKey();
      const name = parent === root ? rootName : node(parent)?.name ?? "";
      ask({ title: text.files.makesIn(isFolder ? text.files.folder : text.files.object, name), action: text.files.makes,
        fields: [field({ label: isFolder ? text.files.folderName : text.files.name, name: "name", required: true }),
          ...(isFolder ? [] : [field({ label: text.files.type, name: "type", value: "Part", required: true })])],
        async send(form) {
          const type = isFolder ? "Folder" : form.get("type");
          const { object } = await post(`/projects/${place}/objects`, { name: form.get("name"), type, parent }, { key });
          await loaded();
          select(object.id);
        } });
    },
    /** @param {any} object @param {() => void} done */
    askData(object, done) {
      const data = object.data ?? {};
      askProperties(data, async (wanted) => {
        const patch = patchOf(data, wanted);
        // A patch without a change is refused.
        if (Object.keys(patch).length > 0) await changeKnown("PATCH", path(object.id), { data: patch });
        await loaded();
        done();
      });
    },
  };
}

/**
 * The cost of a deletion: objects that were never committed are lost.
 * @param {Set<string>} gone the deleted objects @param {Set<string>} added
 */
function lossOf(gone, added) {
  const lost = [...gone].filter((id) => added.has(id)).length;
  return [gone.size > 1 ? h("p", {}, text.files.goes(gone.size - 1)) : null,
    lost > 0 ? h("p", { class: "loss" }, text.files.lost(lost, gone.size)) : null,
    lost < gone.size ? h("p", {}, text.files.stays(gone.size - lost)) : null].filter((said) => said !== null);
}

/**
 * The merge patch that makes `after` of `before`; it removes a property by null. It has the changed properties alone:
 * sent back, a number as 1.0 would become 1.
 * @param {Record<string, any>} before @param {Record<string, any>} after @returns {Record<string, any>}
 */
function patchOf(before, after) {
  const isMap = (/** @type {any} */ one) => one && typeof one === "object" && !Array.isArray(one);
  const gone = Object.keys(before).filter((name) => !(name in after)).map((name) => [name, null]);
  const changed = Object.entries(after).filter(([name, value]) => !isEqual(before[name], value))
    .map(([name, value]) => [name, isMap(before[name]) && isMap(value) ? patchOf(before[name], value) : value]);
  return Object.fromEntries([...changed, ...gone]);
}

/** Whether two values of JSON are equal; the order of properties is of no account. @param {any} one @param {any} other @returns {boolean} */
function isEqual(one, other) {
  if (one === null || other === null || typeof one !== "object" || typeof other !== "object") return one === other;
  const names = Object.keys(one);
  return Array.isArray(one) === Array.isArray(other) && names.length === Object.keys(other).length
    && names.every((name) => name in other && isEqual(one[name], other[name]));
}
