// Files that are dropped anywhere: they go to the page's folder, or to a project that the person chooses. The browser
// would leave the application for them.

import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { readProjects } from "../../api/places";
import { isSignedIn } from "../../api/session";
import { dropTarget } from "../../model/content/drop";
import { tellFailure } from "../../model/messages";
import { sendFiles } from "../../model/content/uploads";
import { text } from "../../text";
import { droppedFiles, hasFiles, type Dropped } from "../../ui/dropped";
import { ask } from "../../ui/dialog";
import { Select } from "../../ui/picker";

export function DropAnywhere() {
  const isOver = useSignal(false);
  useEffect(() => {
    const ended = new AbortController();
    const { signal } = ended;
    addEventListener(
      "dragover",
      (event) => {
        if (!hasFiles(event)) return;
        event.preventDefault();
        isOver.value = true;
      },
      { signal },
    );
    addEventListener(
      "dragleave",
      (event) => {
        if (!event.relatedTarget) isOver.value = false;
      },
      { signal },
    );
    addEventListener(
      "drop",
      (event) => {
        isOver.value = false;
        // A page's own place for files has taken them.
        if (event.defaultPrevented || !hasFiles(event) || !event.dataTransfer) return;
        event.preventDefault();
        if (isSignedIn.value) void droppedFiles(event.dataTransfer).then(take).catch(tellFailure);
      },
      { signal },
    );
    return () => ended.abort();
  }, []);
  if (!isOver.value) return null;
  const name = dropTarget.value?.name;
  return (
    <div class="drop-anywhere" aria-hidden="true">
      <p>{name ? text.files.goesInto(name) : text.drop.anywhere}</p>
    </div>
  );
}

async function take({ files, folders }: Dropped): Promise<void> {
  const known = dropTarget.value;
  if (known) return void sendFiles(known.target, files, known.parent, folders);
  const { projects } = await readProjects({ limit: 100 });
  ask({
    title: text.drop.title(files.length),
    action: text.files.upload,
    cancel: text.cancel,
    fields: (
      <Select
        label={text.board.project}
        name="project"
        find={text.projects.search}
        choices={projects.map(({ id, name }) => ({ value: id, name }))}
      />
    ),
    async send(form) {
      const project = String(form.get("project"));
      void sendFiles({ place: project, href: `/projects/${project}` }, files, project, folders);
    },
  });
}
