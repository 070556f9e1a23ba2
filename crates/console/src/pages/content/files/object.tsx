// The selected object: what it is and where, its shape, what it holds, its cards, properties and versions. What the
// tree knows is shown at once.

import { useComputed } from "@preact/signals";
import type { ProjectObject, TreeNode } from "../../../api/content/objects";
import type { ShapeRef } from "../../../model/content/shapes";
import { text } from "../../../text";
import { Empty, Skeleton } from "../../../ui/empty";
import { Content } from "./content";
import { Facts } from "./facts";
import { ObjectHeading } from "./heading";
import { Inside } from "./inside";
import { LinkedCards } from "./linked-cards";
import { Pages } from "./pages";
import { Properties } from "./properties";
import { ShapePlace } from "./shape";
import { WhereUsed } from "./uses";
import { Versions } from "./versions";
import type { FilesView } from "./view";

export function ObjectPlace({ view }: { view: FilesView }) {
  const { files } = view;
  const shown = files.shown.value;
  if (!shown) return <Top view={view} />;
  const node = shown.object ?? files.nodeOf(shown.id);
  if (shown.failure !== null) return <p class="failure" role="alert">{shown.failure}</p>;
  if (!node) return <Skeleton label={text.loading} />;
  const shape = files.shapes.value.get(shown.id);
  return (
    <article>
      <ObjectHeading key={`heading ${shown.id}`} node={node} object={shown.object} view={view} />
      {shape && <ShapePlace key={keyOf(shape, files.nodeOf(shape.owner))} shape={shape} view={view} />}
      <Facts key={`facts ${shown.id}`} node={node} view={view} />
      {shown.object ? <Whole key={shown.id} object={shown.object} view={view} />
        : <p class="soft loading">{text.loading}</p>}
    </article>
  );
}

/** The view of a shape stays while its parts are visited. A file that was imported meanwhile has other parts. */
const keyOf = ({ owner, sha256 }: ShapeRef, node: TreeNode | undefined) => `shape ${owner} ${sha256} ${node?.type}`;

/** The panel before something is selected: the project's content. */
function Top({ view }: { view: FilesView }) {
  const { tree } = view.files;
  const isBare = useComputed(() => !tree.nodes.value.some(({ file }) => file)).value;
  return (
    <article>
      <p class="soft">{text.files.choose}</p>
      <Inside node={{ id: tree.root, type: "Package" }} view={view} isTop />
      {isBare && (
        <Empty icon="upload">
          <p>{text.files.noFiles}</p>
          <pre>{`atelier upload ./parts --to ${tree.root}:/Model`}</pre>
        </Empty>
      )}
    </article>
  );
}

/** Types of objects that assemblies and other projects use. */
const USED = new Set(["Assembly", "Part", "Package", "Include"]);

function Whole({ object, view }: { object: ProjectObject; view: FilesView }) {
  const { place } = view.files;
  return (
    <>
      <Content key={object.file?.sha256} place={place} object={object} />
      {object.type === "Document" && <Pages place={place} id={object.id} />}
      <Inside node={object} view={view} />
      {USED.has(object.type) && <WhereUsed object={object} view={view} />}
      <LinkedCards object={object} view={view} />
      <Properties object={object} view={view} />
      {object.file && <Versions key={object.file.sha256} place={place} object={object} />}
    </>
  );
}
