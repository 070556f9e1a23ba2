// Taking back uncommitted changes, one or all, with what depends on them.

import { remove } from "../../api/client.js";
import { text } from "../../text.js";
import { ask } from "../../ui/dialog.js";
import { h } from "../../ui/dom.js";
import { toast } from "../../ui/toast.js";

/** @typedef {import("../../ui/comparison.js").Entry} Entry */

/** Most objects that the service takes at once. */
const TOGETHER = 100;

/**
 * The changes that go with one of them, an order in which the service takes them: no object is left without a parent.
 * @param {Entry} one @param {Entry[]} entries in the order of the tree @param {any[]} tree
 */
export function together(one, entries, tree) {
  const parents = new Map(tree.map(({ id, parent }) => [id, parent]));
  const changed = new Map(entries.map((entry) => [entry.objectId, entry]));
  for (const { objectId, parentId } of entries) parents.set(objectId, parentId);
  /** @param {string} id @param {string} above */
  const isBelow = (id, above) => {
    const seen = new Set();
    for (let at = parents.get(id); at && !seen.has(at); at = parents.get(at)) {
      if (at === above) return true;
      seen.add(at);
    }
    return false;
  };
  if (one.change === "modified") return [one];
  const inside = entries.filter(({ objectId }) => isBelow(objectId, one.objectId));
  if (one.change === "added") return [...inside.reverse(), one];
  // A deleted object comes back with the deleted ones that it was in.
  const above = [];
  for (let entry = changed.get(one.parentId); entry?.change === "deleted"; entry = changed.get(entry.parentId)) above.unshift(entry);
  return [...above, one, ...inside.filter(({ change }) => change === "deleted")];
}

/**
 * Asks before changes of a branch are discarded: all, or `one` with what goes with it. `done` is called after the dialog.
 * @param {{ path: string, total: number, one?: Entry, some?: Entry[], load: () => Promise<void>, done?: () => void }} options
 */
export function askDiscard({ path, total, one, some = [], load, done }) {
  let isDone = false;
  const dialog = ask({
    title: one ? text.versions.discards : text.versions.discardsAll,
    action: text.versions.discard,
    danger: true,
    fields: [h("p", { dir: "auto" }, one ? said(one, some.length - 1) : text.versions.goes(total))],
    async send() {
      try {
        if (!one) await remove(path);
        for (let at = 0; at < some.length; at += TOGETHER) {
          await remove(`${path}?objectIds=${some.slice(at, at + TOGETHER).map(({ objectId }) => objectId).join()}`);
        }
      } finally {
        await load();
      }
      isDone = true;
      toast(text.versions.discarded);
    },
  });
  dialog.addEventListener("close", () => { if (isDone) done?.(); });
}

/** @param {Entry} one @param {number} more */
function said({ change, name }, more) {
  return change === "added" ? text.versions.removes(name, more)
    : change === "deleted" ? text.versions.comesBack(name, more) : text.versions.goesOne(name);
}
