// The commits of a branch, newest first.

import { useRef } from "preact/hooks";
import { projectEvents } from "../../../api/content/projects";
import type { Commit } from "../../../api/content/versions";
import { watch } from "../../../api/watch";
import { History, messageOf, personOf } from "../../../model/content/history";
import { openProject, projectHref, type OpenedProject } from "../../../model/content/project";
import { keysIn, projectPart } from "../../../model/planning/mentions";
import { tellFailure } from "../../../model/messages";
import { text } from "../../../text";
import { open, search } from "../../../ui/address";
import { Avatar } from "../../../ui/avatar";
import { Button } from "../../../ui/button";
import { Empty } from "../../../ui/empty";
import { memo } from "../../../ui/memo";
import { usePlace } from "../../../ui/place";
import { Time } from "../../../ui/time";
import { BranchHeading } from "../../parts/branch";
import { Mentions } from "../../parts/mentions";
import { PageState } from "../../parts/page-state";
import type { PageProps } from "../../parts/page-props";
import { projectPlace } from "../../parts/project-place";
import { useRowKeys } from "../../parts/row-keys";

async function read(id: string, name: string | null) {
  const opened = await openProject(id, name);
  const history = new History(id, opened.branch);
  await history.load();
  const live = watch(projectEvents(id), () => history.load(), ({ type, data }) =>
    type === "commit.created" && (data.data as { branch?: string } | undefined)?.branch === opened.branch);
  return { opened, history, live };
}

export default function HistoryPage({ parameters: { project = "" } }: PageProps) {
  const branch = search.value.get("branch");
  return (
    <PageState read={() => read(project, branch)} keys={[project, branch]} close={({ live }) => live.stop()}>
      {(value) => <Opened key={value.opened.branch} {...value} />}
    </PageState>
  );
}

function Opened({ opened, history, live }: Awaited<ReturnType<typeof read>>) {
  const { project, branch, branches } = opened;
  const title = text.versions.history;
  const list = useRef<HTMLOListElement>(null);
  const commits = history.commits.value;
  usePlace({ ...projectPlace(opened, "/history", title), live: live.state.value }, [opened, live.state.value]);
  useRowKeys(list, "a.row", title);
  return (
    <div class="page">
      <BranchHeading title={title} branches={branches} chosen={branch}
        choose={(now) => open(projectHref(project, "/history", now))} />
      <ol ref={list} class="rows commits">
        {commits.map((commit) => <Row key={commit.hash} commit={commit} opened={opened} />)}
      </ol>
      {commits.length === 0 && (
        <Empty>
          <p>{text.versions.none}</p>
          <a class="button primary" href={projectHref(project, "", branch)}>{text.versions.toFiles}</a>
        </Empty>
      )}
      {history.next.value && <Button name={text.files.more} onClick={() => history.more().catch(tellFailure)} />}
    </div>
  );
}

/** Cards of a commit that its row leads to. */
const MOST_CARDS = 3;

const Row = memo(({ commit, opened: { project, branch } }: { commit: Commit; opened: OpenedProject }) => {
  const { hash, author, createdAt } = commit;
  const { subject, rest } = messageOf(commit);
  const keys = keysIn(commit.message).filter((one) => projectPart(one) === project.key).slice(0, MOST_CARDS);
  return (
    <li>
      <a class="row commit-row" href={projectHref(project, `/commits/${hash}`, branch)}>
        <Avatar name={author.name} of={personOf(author)} decorative />
        <span class="name" dir="auto" title={rest || undefined}>{subject}</span>
        <span class="soft" dir="auto">{author.name}</span>
        <code class="soft">{text.versions.short(hash)}</code>
        <span class="soft"><Time iso={createdAt} /></span>
      </a>
      {keys.length > 0 && <span class="row-cards"><Mentions said={keys.join(" ")} place={{ project }} /></span>}
    </li>
  );
});
