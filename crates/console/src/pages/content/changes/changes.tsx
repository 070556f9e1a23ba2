// The uncommitted changes of a branch, with the box that commits them.

import { useMemo, useRef } from "preact/hooks";
import { projectEvents } from "../../../api/content/projects";
import { watch } from "../../../api/watch";
import { Changes } from "../../../model/content/changes";
import { openProject, projectHref } from "../../../model/content/project";
import { text } from "../../../text";
import { open, search } from "../../../ui/address";
import { Button } from "../../../ui/button";
import { Empty } from "../../../ui/empty";
import { usePlace } from "../../../ui/place";
import { roving } from "../../../ui/roving";
import { BranchHeading } from "../../parts/branch";
import { ComparisonList } from "../../parts/comparison/comparison";
import { PageState } from "../../parts/page-state";
import type { PageProps } from "../../parts/page-props";
import { projectPlace } from "../../parts/project-place";
import { useRowKeys } from "../../parts/row-keys";
import { CommitBox } from "./commit-box";
import { askDiscard } from "./discard";

async function read(id: string, branch: string | null) {
  const changes = new Changes(await openProject(id, branch));
  await changes.load();
  const live = watch(projectEvents(id), () => changes.load(), ({ type }) =>
    type === "objects.changed" || type === "commit.created");
  return { changes, live };
}

export default function ChangesPage({ parameters: { project = "" } }: PageProps) {
  const branch = search.value.get("branch");
  return (
    <PageState read={() => read(project, branch)} keys={[project, branch]} close={({ live }) => live.stop()}>
      {(value) => <Opened key={value.changes.place} {...value} />}
    </PageState>
  );
}

function Opened({ changes, live }: Awaited<ReturnType<typeof read>>) {
  const { opened } = changes;
  const { project, branch, branches } = opened;
  const title = text.versions.changes;
  const [list, toFiles, focus] = [useRef<HTMLDivElement>(null), useRef<HTMLAnchorElement>(null), useMemo(roving, [])];
  const comparison = changes.comparison.value;
  usePlace({ ...projectPlace(opened, "/changes", title), live: live.state.value }, [opened, live.state.value]);
  useRowKeys(list, "summary", title);
  const view = { changes, focus, toFiles };
  return (
    <div class="page">
      <BranchHeading title={title} branches={branches} chosen={branch}
        choose={(now) => open(projectHref(project, "/changes", now))}>
        {changes.total.value > 0 && <Button name={text.versions.discardAll} onClick={() => askDiscard(view)} />}
      </BranchHeading>
      {changes.total.value > 0 && <CommitBox changes={changes} />}
      <div ref={list}>
        {changes.total.value === 0 ? (
          <Empty>
            <p>{text.versions.clean}</p>
            <a ref={toFiles} class="button primary" href={projectHref(project, "", branch)}>{text.versions.toFiles}</a>
          </Empty>
        ) : (
          <ComparisonList comparison={comparison} focus={focus} action={{ name: text.versions.discard,
            says: ({ name }) => text.versions.discardOf(name), run: (entry) => askDiscard(view, entry) }} />
        )}
      </div>
    </div>
  );
}
