// The selected object: what it is and where, what it holds, its cards, properties and versions. What the tree knows is
// shown at once.

import { useComputed } from "@preact/signals";
import type { ProjectObject } from "../../../api/objects";
import { text } from "../../../text";
import { Empty, Skeleton } from "../../../ui/empty";
import { Content } from "./content";
import { Facts } from "./facts";
import { ObjectHeading } from "./heading";
import { Inside } from "./inside";
import { LinkedCards } from "./linked-cards";
import { Pages } from "./pages";
import { Properties } from "./properties";
import { Versions } from "./versions";
import type { FilesView } from "./view";

export function ObjectPlace({ view }: { view: FilesView }) {
  const { files } = view;
  const shown = files.shown.value;
  if (!shown) return <Top view={view} />;
  const node = shown.object ?? files.nodeOf(shown.id);
  if (shown.failure !== null) return <p class="failure" role="alert">{shown.failure}</p>;
  if (!node) return <Skeleton label={text.loading} />;
  return (
    <article key={shown.id}>
      <ObjectHeading node={node} object={shown.object} view={view} />
      <Facts node={node} view={view} />
      {shown.object ? <Whole object={shown.object} view={view} /> : <p class="soft loading">{text.loading}</p>}
    </article>
  );
}

/** What is shown before something is selected: what the project holds. */
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

function Whole({ object, view }: { object: ProjectObject; view: FilesView }) {
  const { place } = view.files;
  return (
    <>
      <Content key={object.file?.sha256} place={place} object={object} />
      {object.type === "Document" && <Pages place={place} id={object.id} />}
      <Inside node={object} view={view} />
      <LinkedCards object={object} view={view} />
      <Properties object={object} view={view} />
      {object.file && <Versions key={object.file.sha256} place={place} object={object} />}
    </>
  );
}
