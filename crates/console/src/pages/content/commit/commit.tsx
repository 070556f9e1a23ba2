// A commit: who, when and why, what it changed, and a way to take it back.

import { useSignal } from "@preact/signals";
import { readCommit, type Commit } from "../../../api/content/versions";
import { Compared } from "../../../model/content/comparison";
import { messageOf, personOf } from "../../../model/content/history";
import { openProject, placeOf, projectHref, type OpenedProject } from "../../../model/content/project";
import { text } from "../../../text";
import { search } from "../../../ui/address";
import { Avatar } from "../../../ui/avatar";
import { Button } from "../../../ui/button";
import { usePlace } from "../../../ui/place";
import { Time } from "../../../ui/time";
import { ComparedList } from "../../parts/comparison/compared";
import { copyAndTell } from "../../parts/copied";
import { Mentions } from "../../parts/mentions";
import { PageState } from "../../parts/page-state";
import type { PageProps } from "../../parts/page-props";
import { projectPlace } from "../../parts/project-place";
import { askRevert, RevertConflicts, type OpenRevert } from "./revert";

async function read(id: string, hash: string, branch: string | null) {
  const [opened, commit] = await Promise.all([openProject(id, branch), readCommit(id, hash)]);
  const [parent] = commit.parents;
  const places = [placeOf(opened.project, opened.branch)];
  const compared = parent ? await Compared.open(id, { base: parent, head: hash }, { places }) : null;
  return { opened, commit, compared };
}

export default function CommitPage({ parameters: { project = "", hash = "" } }: PageProps) {
  const branch = search.value.get("branch");
  return (
    <PageState read={() => read(project, hash, branch)} keys={[project, hash, branch]}>
      {(value) => <Opened key={value.commit.hash} {...value} />}
    </PageState>
  );
}

function Opened({ opened, commit, compared }: Awaited<ReturnType<typeof read>>) {
  const { project, branch } = opened;
  const revert = useSignal<OpenRevert | null>(null);
  const below = { name: text.versions.history, href: projectHref(project, "/history", branch) };
  usePlace(projectPlace(opened, "/history", text.versions.short(commit.hash), below), [opened, commit]);
  const { subject, rest } = messageOf(commit);
  return (
    <div class="page">
      <div class="heading">
        <h1 dir="auto" class="subject"><Mentions said={subject} place={{ project }} /></h1>
        {compared && <Button name={text.versions.revert} onClick={() => askRevert(opened, commit.hash, revert)} />}
      </div>
      {rest && <p class="message" dir="auto"><Mentions said={rest} place={{ project }} /></p>}
      <Byline commit={commit} opened={opened} />
      {commit.parents.length > 1 && <p class="soft">{text.versions.firstParent}</p>}
      {revert.value && <RevertConflicts opened={opened} hash={commit.hash} open={revert.value}
        nameOf={(id) => compared?.comparison.value.entries.find(({ objectId }) => objectId === id)?.name} />}
      {compared ? <ComparedList compared={compared} /> : <p class="soft">{text.versions.first}</p>}
    </div>
  );
}

function Byline({ commit, opened: { project, branch } }: { commit: Commit; opened: OpenedProject }) {
  const { author, createdAt, hash, parents } = commit;
  return (
    <div class="byline">
      <Avatar name={author.name} of={personOf(author)} decorative />
      <span dir="auto">{author.name}</span>
      <span class="soft"><Time iso={createdAt} /></span>
      <code>{text.versions.short(hash)}</code>
      <Button name={text.versions.copyHash} icon="copy" kind="plain" quiet onClick={() => copyAndTell(hash)} />
      {parents.map((one) => (
        <a key={one} href={projectHref(project, `/commits/${one}`, branch)}>
          {`${text.versions.parent} ${text.versions.short(one)}`}
        </a>
      ))}
    </div>
  );
}
