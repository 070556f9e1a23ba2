// The content of the selected object: folders and files by name, parts in their order.

import type { TreeNode } from "../../../api/content/objects";
import { sizeOf } from "../../../model/content/media";
import { projectHref } from "../../../model/content/project";
import { productOf } from "../../../model/content/tree";
import { text } from "../../../text";
import { Button } from "../../../ui/button";
import { useSignal } from "@preact/signals";
import { iconOf } from "../../parts/object-icon";
import { Thumbnail } from "../../parts/thumbnail";
import type { FilesView } from "./view";

/** Rows that are shown at once, and with each press of the button. */
const PART = 50;
const ROW_PX = 28;
const FOLDERS = new Set(["Folder", "Package"]);

interface InsideProps {
  node: { id: string; type: string };
  view: FilesView;
  /** There is no heading of an object above it. */
  isTop?: boolean;
}

export function Inside({ node, view, isTop = false }: InsideProps) {
  const Heading = isTop ? "h2" : "h3";
  const count = useSignal(PART);
  const children = view.files.tree.children.value.get(node.id) ?? [];
  const isFolder = FOLDERS.has(node.type);
  // The pages of a document are shown as pictures.
  if (node.type === "Document" || (children.length === 0 && !isFolder)) return null;
  return (
    <section aria-labelledby="inside">
      <Heading id="inside">{text.files.inside} <span class="soft">{children.length}</span></Heading>
      {children.length === 0 ? <p class="soft">{text.files.nothingInside}</p> : (
        <ul class="rows inside">
          {children.slice(0, count.value).map((child) => <Child key={child.id} node={child} view={view} />)}
        </ul>
      )}
      {children.length > count.value && <Button name={text.files.more} onClick={() => { count.value += PART; }} />}
    </section>
  );
}

function Child({ node, view: { files } }: { node: TreeNode; view: FilesView }) {
  const { project, branch } = files.opened;
  const failed = files.imports.value.get(node.id)?.status === "failed";
  const product = productOf(node);
  const below = files.tree.children.value.get(node.id)?.length ?? 0;
  return (
    <li>
      <a class="row inside-row" href={projectHref(project, "", branch, { object: node.id })}>
        <Thumbnail of={files.picturedOf(node.id)} icon={iconOf(node)} px={ROW_PX} />
        <span class="name">
          <bdi>{node.name}</bdi>{product && <> <bdi class="soft">{product}</bdi></>}
        </span>
        <span class="soft">{text.files.types[node.type] ?? node.type}</span>
        <span class={failed ? "failure" : "soft"}>
          {failed ? text.files.notRead : below > 0 ? text.files.objects(below) : node.file && sizeOf(node.file.size)}
        </span>
      </a>
    </li>
  );
}
