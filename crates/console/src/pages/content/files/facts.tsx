// Facts of the selected object: its type, its file, its place, and where else it is used.

import type { ProjectObject, TreeNode } from "../../../api/content/objects";
import { fileNameOf, sizeOf } from "../../../model/content/media";
import { projectHref } from "../../../model/content/project";
import { otherUses, productOf, usesIn } from "../../../model/content/tree";
import { text } from "../../../text";
import { Button } from "../../../ui/button";
import { copyAndTell } from "../../parts/copied";
import type { FilesView } from "./view";

/** Most other places that are listed. */
const MOST = 5;

type Node = TreeNode | ProjectObject;

export function Facts({ node, view }: { node: Node; view: FilesView }) {
  const { id, name, file, type } = node;
  const { branch } = view.files.opened;
  const also = otherUses(node, view.files.tree.nodes.value);
  const product = productOf(view.files.nodeOf(id) ?? node);
  return (
    <dl class="facts">
      <dt>{text.files.type}</dt>
      <dd dir="auto">{text.files.types[type] ?? type}</dd>
      {product && <>
        <dt>{text.files.product}</dt>
        <dd dir="auto">{product}</dd>
      </>}
      {file && <>
        <dt>{text.files.file}</dt>
        <dd dir="auto">{fileNameOf({ name, file })} <span class="soft">{sizeOf(file.size)}, {file.mimeType}</span></dd>
      </>}
      {!file && <InFile node={node} view={view} />}
      <dt>{text.files.where}</dt>
      <dd><Way id={id} view={view} /></dd>
      {also.length > 0 && <>
        <dt>{text.files.also}</dt>
        <dd>
          {also.slice(0, MOST).map((other) => <div key={other.id}><Way id={other.id} view={view} from={id} /></div>)}
          {also.length > MOST && <div class="soft">{text.files.alsoMore(also.length - MOST)}</div>}
        </dd>
      </>}
      <dt>{text.files.id}</dt>
      <dd><Button name={text.files.copyId} icon="copy" kind="plain" onClick={() => copyAndTell(id)} />
        <Button name={text.files.copyLink} icon="copy" kind="plain" onClick={() => copyAndTell(location.origin
          + projectHref(view.files.opened.project, "", branch, { object: id }))} /></dd>
    </dl>
  );
}

/** The file that a part is in, and how often its product is there. */
function InFile({ node, view: { files } }: { node: Node; view: FilesView }) {
  const { project, branch } = files.opened;
  const { nodes, byId } = files.tree;
  const shapes = files.shapes.value;
  const owner = byId.value.get(shapes.get(node.id)?.owner ?? "");
  if (!owner?.file) return null;
  const count = usesIn(node, nodes.value.filter(({ id }) => shapes.get(id)?.owner === owner.id));
  return (
    <>
      <dt>{text.files.inFile}</dt>
      <dd><a href={projectHref(project, "", branch, { object: owner.id })} dir="auto">
        {fileNameOf({ name: owner.name, file: owner.file })}</a></dd>
      <dt>{text.files.used}</dt>
      <dd>{text.files.usedTimes(count, owner.name)}</dd>
    </>
  );
}

/** The objects above another one, each a link. With `from` the object, too, by the way that it has not in common. */
function Way({ id, view, from }: { id: string; view: FilesView; from?: string }) {
  const { files } = view;
  const { project, branch } = files.opened;
  const own = files.nodeOf(id);
  const common = new Set(from ? files.tree.above(from).map((node) => node.id) : []);
  const line = [...files.tree.above(id).filter((node) => !common.has(node.id)), ...(from && own ? [own] : [])];
  return (
    <span class="way">
      {!from && <a href={projectHref(project, "", branch)} dir="auto">{project.name}</a>}
      {line.map((node, at) => (
        <span key={node.id}>
          {(at > 0 || !from) && <span aria-hidden="true"> / </span>}
          <a href={projectHref(project, "", branch, { object: node.id })} dir="auto">{node.name}</a>
        </span>
      ))}
    </span>
  );
}
