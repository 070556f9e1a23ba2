// The tree of a project, and where new files go.

import { useComputed } from "@preact/signals";
import { useMemo } from "preact/hooks";
import type { Files } from "../../../model/content/files";
import { productOf, type TreeRow } from "../../../model/content/tree";
import { sendFiles } from "../../../model/content/uploads";
import { text } from "../../../text";
import { droppedFiles } from "../../../ui/dropped";
import { Icon } from "../../../ui/icon";
import { openMenu } from "../../../ui/menu-state";
import { Tree } from "../../../ui/tree";
import type { TreeMark, TreeRowView } from "../../../ui/tree-rows";
import { iconOf } from "../../parts/object-icon";
import { Thumbnail } from "../../parts/thumbnail";
import { objectMenu } from "./actions";
import type { FilesView } from "./view";

const ROW_PX = 20;

export function TreePlace({ view }: { view: FilesView }) {
  const { files, tree: element, choose } = view;
  const { tree } = files;
  const rows = useRowViews(files);
  const folder = files.folder.value;
  const send = (transfer: DataTransfer, on: string) =>
    void droppedFiles(transfer).then((dropped) => sendFiles(files.target, dropped.files, on, dropped.folders));
  return (
    <div class="tree-place">
      <Tree label={text.files.tree} root={tree.root} rows={rows.value} selected={tree.selected} element={element}
        lead={(row) => <Thumbnail of={files.picturedOf(row.id)} icon={row.icon} px={ROW_PX} />}
        choose={choose} fold={(id, is) => tree.fold(id, is)}
        menu={(id, at) => {
          if (element.current) openMenu(element.current, { ...objectMenu(view, id), at });
        }}
        dropsOn={(id, isRow) => (isRow ? tree.holderOf(id) : tree.folderOf(id))}
        moved={(id, on) => void files.move(id, on)} dropped={send} />
      <p class="soft hint">
        <Icon name="upload" />
        <span dir="auto">{folder === tree.root ? text.files.drop : text.files.goesInto(files.nameOf(folder))}</span>
      </p>
    </div>
  );
}

/** The rows as the tree draws them. Those that did not change keep their identity, so that they are not drawn again. */
function useRowViews(files: Files) {
  const known = useMemo(() => new Map<string, TreeRowView>(), []);
  return useComputed(() => files.tree.rows.value.map((row) => {
    const now = rowView(files, row);
    const before = known.get(now.id);
    if (before && isSame(before, now)) return before;
    known.set(now.id, now);
    return now;
  }));
}

function rowView(files: Files, { node, level, place, of, children, isUnfolded }: TreeRow): TreeRowView {
  const { id, parent, name } = node;
  return { id, parent, name, beside: productOf(node), icon: iconOf(node),
    picture: files.shapes.value.get(id)?.sha256, level, place, of,
    isUnfolded: children > 0 ? isUnfolded : undefined, marks: marksOf(files, id, children > 0 && !isUnfolded) };
}

function isSame(one: TreeRowView, other: TreeRowView): boolean {
  const marks = ({ marks: all }: TreeRowView) => all.map(({ sign, says }) => sign + says).join();
  return (["parent", "name", "beside", "icon", "picture", "level", "place", "of", "isUnfolded"] as const)
    .every((name) => one[name] === other[name]) && marks(one) === marks(other);
}

function marksOf(files: Files, id: string, isClosed: boolean): TreeMark[] {
  const { added, modified, changedInside, deletedInside, unread, isRead } = text.files;
  const [mark, below, imported] = [files.marks.value.get(id), files.below.value, files.imports.value.get(id)];
  const [inside, deleted] = [below.all.get(id) ?? 0, below.deleted.get(id) ?? 0];
  const marks: TreeMark[] = [];
  if (imported?.status === "failed") marks.push({ kind: "failed", sign: "!", says: unread(imported.reason) });
  if (imported?.status === "pending") marks.push({ kind: "running", sign: "…", says: isRead });
  if (isClosed && inside > 0) marks.push({ kind: "changed", sign: `•${inside}`, says: changedInside(inside) });
  else if (deleted > 0) marks.push({ kind: "deleted", sign: `−${deleted}`, says: deletedInside(deleted) });
  if (mark === "added") marks.push({ kind: "added", sign: "+", says: added });
  else if (mark === "modified") marks.push({ kind: "changed", sign: "~", says: modified });
  return marks;
}
