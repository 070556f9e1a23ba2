// Edits of the tree: they are shown at once, and go back with the reason where the service refuses them.

import { changeKnown, newKey, post } from "../../api/client.js";
import { text } from "../../text.js";
import { ask, field } from "../../ui/dialog.js";
import { h } from "../../ui/dom.js";
import { prettyJson } from "../../ui/json.js";
import { toast } from "../../ui/toast.js";

/** Most folders that the list of a move offers. */
const MOST_FOLDERS = 2000;

/**
 * The edits of a branch's objects.
 * @param {{ place: string, root: string, rootName: string, nodes: () => any[], show: (nodes: any[]) => void,
 *   loaded: () => Promise<void>, select: (id: string | null) => void }} options
 */
export function edits({ place, root, rootName, nodes, show, loaded, select }) {
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
      const one = node(id);
      const folders = nodes().filter((other) => !other.file && other.id !== id && other.type !== "Page").slice(0, MOST_FOLDERS)
        .filter((other) => !isBelow(other.id, id));
      ask({ title: text.files.moves(one.name), action: text.files.move,
        fields: [h("div", { class: "field" }, h("label", { for: "field-into" }, text.files.into),
          h("select", { id: "field-into", name: "into" }, [{ id: root, name: rootName }, ...folders].map((other) =>
            h("option", { value: other.id, selected: other.id === one.parent }, other.name))))],
        async send(form) { void move(id, String(form.get("into"))); } });
    },
    /** @param {string} id */
    askDelete(id) {
      const one = node(id);
      const gone = new Set(nodes().filter((other) => isBelow(other.id, id)).map((other) => other.id));
      ask({ title: text.files.deletes(one.name), action: text.files.delete,
        fields: [h("p", {}, text.files.goes(gone.size - 1))],
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
      ask({ title: isFolder ? text.files.folder : text.files.object, action: text.files.makes,
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
      ask({ title: text.files.editData, action: text.files.saves,
        fields: [field({ label: text.files.json, name: "json", value: prettyJson(data), rows: 12 })],
        async send(form) {
          const wanted = parsed(String(form.get("json")));
          // A merge patch removes a property by null.
          const gone = Object.fromEntries(Object.keys(data).filter((name) => !(name in wanted)).map((name) => [name, null]));
          const changed = Object.fromEntries(Object.entries(wanted).map(([name, value]) => [name, patchOf(data[name], value)]));
          await changeKnown("PATCH", path(object.id), { data: { ...changed, ...gone } });
          await loaded();
          done();
        } });
    },
  };
}

/** The merge patch that makes `after` of `before`. @param {any} before @param {any} after @returns {any} */
function patchOf(before, after) {
  const isMap = (/** @type {any} */ one) => one && typeof one === "object" && !Array.isArray(one);
  if (!isMap(before) || !isMap(after)) return after;
  const gone = Object.keys(before).filter((name) => !(name in after)).map((name) => [name, null]);
  return Object.fromEntries([...Object.entries(after).map(([name, value]) => [name, patchOf(before[name], value)]), ...gone]);
}

/** @param {string} json @returns {Record<string, any>} */
function parsed(json) {
  let value;
  try {
    value = JSON.parse(json);
  } catch (error) {
    throw new Error(`${text.files.notJson} ${error instanceof Error ? error.message : ""}`);
  }
  if (!value || typeof value !== "object" || Array.isArray(value)) throw new Error(text.files.notJson);
  return value;
}
