// A project's files: its tree, and the object that is selected in it.

import { useEffect } from "preact/hooks";
import { noteChoice } from "../../../model/recent";
import { openFiles, type OpenFiles } from "../../../model/content/open-files";
import { text } from "../../../text";
import { useActions } from "../../../ui/actions";
import { search, stepBack } from "../../../ui/address";
import { Button } from "../../../ui/button";
import { usePlace } from "../../../ui/place";
import { SaveHost } from "../../../ui/save";
import { Separator, useKeptWidth } from "../../../ui/separator";
import { PageState } from "../../parts/page-state";
import type { PageProps } from "../../parts/page-props";
import { projectPlace } from "../../parts/project-place";
import { fileActions } from "./actions";
import { Interrupted } from "./interrupted";
import { ObjectPlace } from "./object";
import { Tools } from "./tools";
import { TreePlace } from "./tree-place";
import { useFilesView, type FilesView } from "./view";

const TREE_PX = 340;

export default function FilesPage({ parameters: { project = "" } }: PageProps) {
  const branch = search.value.get("branch");
  return (
    <PageState read={() => openFiles(project, branch)} keys={[project, branch]} close={({ close }) => close()}>
      {(open) => <Opened key={open.files.place} {...open} />}
    </PageState>
  );
}

function Opened(open: OpenFiles) {
  const { files, live } = open;
  const { project } = files.opened;
  const view = useFilesView(open);
  usePlace({ ...projectPlace(files.opened, "", text.files.title), live: live.state.value }, [files, live.state.value]);
  useActions(() => fileActions(view));
  useEffect(() => {
    noteChoice({ name: project.name, href: files.target.href, where: text.files.title, icon: "files" });
  }, [files]);
  return (
    <div class="files">
      <h1 class="unseen">{project.name}</h1>
      <Tools view={view} />
      <Interrupted place={files.place} />
      <Halves view={view} />
      <SaveHost />
    </div>
  );
}

function Halves({ view }: { view: FilesView }) {
  const { files, object } = view;
  const width = useKeptWidth("tree", TREE_PX);
  const isOpened = files.shown.value !== null;
  return (
    <div class={isOpened ? "halves is-opened" : "halves"} style={{ "--tree-width": `${width.value}px` }}>
      <TreePlace view={view} />
      <Separator label={text.files.width} name="tree" width={width} usual={TREE_PX} least={200} most={800} />
      <section ref={object} class="object" aria-live="polite" tabIndex={-1}
        aria-busy={isOpened && !files.shown.value?.object && !files.shown.value?.failure}>
        {isOpened && <Button name={text.files.back} icon="back" kind="plain back" onClick={() => stepBack("object")} />}
        <ObjectPlace view={view} />
      </section>
    </div>
  );
}
