// Where the selected part, assembly or package is used, in all projects of the person. The search costs time, so
// opening the list begins it.

import { useSignal } from "@preact/signals";
import { useMemo } from "preact/hooks";
import type { Use, UsingProject } from "../../../api/content/bom";
import type { ProjectObject } from "../../../api/content/objects";
import { projectHref } from "../../../model/content/project";
import { symbolOf } from "../../../model/content/properties";
import { Uses } from "../../../model/content/uses";
import { tellFailure } from "../../../model/messages";
import { text } from "../../../text";
import { BusyButton } from "../../../ui/busy-button";
import { Icon } from "../../../ui/icon";
import { Read } from "../../parts/read";
import type { FilesView } from "./view";

interface WhereUsedProps {
  object: ProjectObject;
  view: FilesView;
}

export function WhereUsed(props: WhereUsedProps) {
  const isOpen = useSignal(false);
  return (
    <details class="where-used" onToggle={(event) => { isOpen.value = event.currentTarget.open; }}>
      <summary>{text.uses.title}</summary>
      {isOpen.value && <Search {...props} />}
    </details>
  );
}

function Search({ object, view }: WhereUsedProps) {
  const uses = useMemo(() => new Uses(view.files.place, object.id), []);
  return <Read read={() => uses.more()} keys={[]}>{() => <Found uses={uses} view={view} />}</Read>;
}

function Found({ uses, view }: { uses: Uses; view: FilesView }) {
  const [projects, hasMore, notSearched] = [uses.projects.value, uses.hasMore.value, uses.notSearched.value];
  return (
    <div class="uses">
      {projects.map((project) => <Project key={project.projectId} project={project} view={view} />)}
      {projects.length === 0 && <p class="soft">{hasMore ? text.uses.noneYet : text.uses.none}</p>}
      {notSearched > 0 && <p class="soft">{text.uses.notSearched(notSearched)}</p>}
      {hasMore && <BusyButton name={text.uses.more} icon="search" run={() => uses.more().catch(tellFailure)} />}
    </div>
  );
}

function Project({ project, view: { files: { opened } } }: { project: UsingProject; view: FilesView }) {
  const { projectId, name, branch, uses, hasMoreUses } = project;
  // Of other projects, default branches are searched.
  const own = projectId === opened.project.id ? opened.project : { id: projectId, defaultBranch: branch };
  const hrefOf = (object?: string) => projectHref(own, "", branch, object ? { object } : {});
  return (
    <section>
      <h3><a href={hrefOf()} dir="auto">{name}</a></h3>
      <ul class="rows">
        {uses.map((use, at) => <UseRow key={at} use={use} hrefOf={hrefOf} />)}
      </ul>
      {hasMoreUses && <p class="soft">{text.uses.moreUses}</p>}
    </section>
  );
}

function UseRow({ use, hrefOf }: { use: Use; hrefOf: (object?: string) => string }) {
  const { assembly, products, quantity, totalQuantity, unit, objectIds: [first] } = use;
  const written = (count: number) => [count.toLocaleString(), ...(unit ? [symbolOf(unit)] : [])].join(" ");
  // An assembly at the top is its own product.
  const above = products.filter(({ objectId }) => !assembly?.objectIds.includes(objectId)).map(({ name }) => name);
  return (
    <li>
      <a class="row use-row" href={hrefOf(assembly?.objectIds[0] ?? first)}>
        <Icon name="part" />
        <span class="name">
          <bdi>{assembly?.name ?? text.uses.top}</bdi>
          {above.length > 0 && <> <bdi class="soft">{text.uses.in(above.join(", "))}</bdi></>}
        </span>
        <span class="soft">{assembly && text.uses.times(written(quantity), assembly.objectCount)}</span>
        <span class="soft">{text.uses.total(written(totalQuantity))}</span>
      </a>
    </li>
  );
}
