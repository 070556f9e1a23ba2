// The actions of a page of files with their keys, and the menu of an object.

import { text } from "../../../text";
import type { Action } from "../../../ui/actions";
import type { MenuOptions } from "../../../ui/menu-state";
import { askCreate, askDelete, askRename } from "./asks";
import { askMove } from "./move";
import type { FilesView } from "./view";

export function fileActions(view: FilesView): Action[] {
  const { files, tree, choose } = view;
  const group = text.files.title;
  const selected = files.tree.selected.peek();
  const step = (by: number) => () => {
    const rows = files.tree.rows.peek();
    const at = rows.findIndex(({ node }) => node.id === files.tree.selected.peek());
    const next = rows[Math.max(0, Math.min(rows.length - 1, at + by))];
    tree.current?.focus();
    if (next) choose(next.node.id, "arrows");
  };
  // Without a selection they are listed, and do nothing.
  const on = (name: string, key: string, icon: string, act: (view: FilesView, id: string) => void): Action =>
    ({ name, key, icon, group, ...(selected ? { run: () => act(view, selected) } : {}) });
  return [
    { name: text.files.next, key: "j", group, run: step(1) },
    { name: text.files.previous, key: "k", group, run: step(-1) },
    { name: text.files.opens, key: "Enter", group },
    { name: text.files.folds, key: "Arrow", shownKey: "← →", group },
    { name: text.files.folder, key: "n", group, icon: "folder",
      run: () => askCreate(view, files.folder.peek(), true) },
    on(text.files.rename, "e", "pencil", askRename),
    on(text.files.rename, "F2", "pencil", askRename),
    on(text.files.move, "m", "open", askMove),
    on(text.files.delete, "Delete", "bin", askDelete),
    { name: text.files.actions, key: "Shift+F10", group },
  ];
}

/** The menu of an object, or of the project. */
export function objectMenu(view: FilesView, id: string | null): MenuOptions {
  const { files } = view;
  const entries = [
    { name: text.files.folder, run: () => askCreate(view, files.tree.folderOf(id), true) },
    { name: text.files.object, run: () => askCreate(view, files.tree.holderOf(id), false) },
    ...(id ? [
      { name: text.files.rename, run: () => askRename(view, id) },
      { name: text.files.move, run: () => askMove(view, id) },
      { name: text.files.delete, danger: true, run: () => askDelete(view, id) },
    ] : []),
  ];
  return { label: text.files.actions, entries: () => entries };
}
