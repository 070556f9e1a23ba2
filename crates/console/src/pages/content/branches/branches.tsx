// The branches of a project: made, compared, merged and deleted.

import { projectEvents, type Branch } from "../../../api/content/projects";
import { watch } from "../../../api/watch";
import { Branches } from "../../../model/content/branches";
import { openProject, projectHref, type OpenedProject } from "../../../model/content/project";
import { text } from "../../../text";
import { search } from "../../../ui/address";
import { Button } from "../../../ui/button";
import { Icon } from "../../../ui/icon";
import { usePlace } from "../../../ui/place";
import { Time } from "../../../ui/time";
import { PageState } from "../../parts/page-state";
import type { PageProps } from "../../parts/page-props";
import { projectPlace } from "../../parts/project-place";
import { askBranch, askDelete } from "./asks";

async function read(id: string) {
  const opened = await openProject(id, search.peek().get("branch"));
  const branches = new Branches(id, opened.branches);
  await branches.readTimes();
  const live = watch(projectEvents(id), () => branches.load(), ({ type }) =>
    type.startsWith("branch.") || type === "objects.changed" || type === "commit.created");
  return { opened, branches, live };
}

export default function BranchesPage({ parameters: { project = "" } }: PageProps) {
  return (
    <PageState read={() => read(project)} keys={[project]} close={({ live }) => live.stop()}>
      {(value) => <Opened {...value} />}
    </PageState>
  );
}

function Opened({ opened, branches, live }: Awaited<ReturnType<typeof read>>) {
  const title = text.branches.title;
  usePlace({ ...projectPlace(opened, "/branches", title), live: live.state.value }, [opened, live.state.value]);
  const all = branches.all.value;
  return (
    <div class="page">
      <div class="heading">
        <h1>{title}</h1>
        <Button name={text.branches.create} icon="plus" kind="primary"
          onClick={() => askBranch(opened.project, branches)} />
      </div>
      <ul class="rows aligned">
        {all.map((branch) => <Row key={branch.name} branch={branch} opened={opened} branches={branches} />)}
      </ul>
      {all.length < 2 && <p class="soft">{text.branches.alone}</p>}
    </div>
  );
}

interface RowProps {
  branch: Branch;
  opened: OpenedProject;
  branches: Branches;
}

function Row({ branch, opened: { project }, branches }: RowProps) {
  const { name, isDefault, hasChanges } = branch;
  return (
    <li class="row branch-row">
      <Icon name="branch" />
      <span>
        <a class="name" dir="auto" href={projectHref(project, "", name)}>{name}</a>
        {isDefault && <span class="badge">{text.branches.isDefault}</span>}
        {hasChanges && <a class="badge changed" href={projectHref(project, "/changes", name)}>
          {text.branches.uncommitted}</a>}
      </span>
      <span class="soft when"><Time iso={branches.timeOf(branch)} /></span>
      <span class="row-actions">{!isDefault && <Actions name={name} opened={project} branches={branches} />}</span>
    </li>
  );
}

function Actions({ name, opened, branches }: { name: string; opened: OpenedProject["project"]; branches: Branches }) {
  const [own, main] = [encodeURIComponent(name), encodeURIComponent(opened.defaultBranch)];
  const root = `/projects/${opened.id}`;
  return (
    <>
      <a class="button plain" aria-label={text.branches.compareWith(name)}
        href={`${root}/compare?base=${main}&head=${own}`}>{text.branches.compare}</a>
      <a class="button plain" aria-label={text.branches.mergeOf(name)}
        href={`${root}/merge?source=${own}&into=${main}`}>{text.branches.merge}</a>
      <Button name={text.branches.delete} label={text.branches.deleteOf(name)} kind="plain"
        onClick={() => askDelete(branches, name)} />
    </>
  );
}
