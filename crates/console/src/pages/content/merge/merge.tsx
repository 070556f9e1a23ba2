// Merging a branch: the outcome is shown first, conflicts are decided by clicking, and then it is done.

import { projectEvents } from "../../../api/content/projects";
import { watch } from "../../../api/watch";
import { Merge } from "../../../model/content/merge";
import { tell } from "../../../model/messages";
import { openProject, placeOf, projectHref } from "../../../model/content/project";
import { text } from "../../../text";
import { open, search } from "../../../ui/address";
import { Button } from "../../../ui/button";
import { usePlace } from "../../../ui/place";
import { BranchMenu } from "../../parts/branch";
import { ComparedList } from "../../parts/comparison/compared";
import { Conflicts } from "../../parts/conflicts";
import { PageState } from "../../parts/page-state";
import type { PageProps } from "../../parts/page-props";
import { projectPlace } from "../../parts/project-place";

async function read(id: string, from: string | null, to: string | null) {
  const opened = await openProject(id, null);
  const into = to ?? opened.project.defaultBranch;
  const source = from ?? opened.branches.find(({ name }) => name !== into)?.name ?? into;
  const merge = new Merge(opened, source, into);
  await merge.tryOut();
  const live = watch(projectEvents(id), () => merge.readAgain(), ({ type, data }) =>
    [source, into].includes((data.data as { branch?: string } | undefined)?.branch ?? into)
      && (type === "commit.created" || type === "objects.changed"));
  return { merge, live };
}

export default function MergePage({ parameters: { project = "" } }: PageProps) {
  const [source, into] = [search.value.get("source"), search.value.get("into")];
  return (
    <PageState read={() => read(project, source, into)} keys={[project, source, into]}
      close={({ live }) => live.stop()}>
      {(value) => <Opened key={`${source} ${into}`} {...value} />}
    </PageState>
  );
}

function Opened({ merge, live }: Awaited<ReturnType<typeof read>>) {
  const { opened, source, into } = merge;
  const { project, branches } = opened;
  usePlace({ ...projectPlace(opened, "/branches", text.merge.title), live: live.state.value },
    [opened, live.state.value]);
  const go = (from: string, to: string) =>
    open(`/projects/${project.id}/merge?${new URLSearchParams({ source: from, into: to }).toString()}`);
  return (
    <div class="page">
      <div class="heading">
        <h1>{text.merge.title}</h1>
        <div class="between">
          <BranchMenu branches={branches} chosen={source} label={text.merge.from} choose={(from) => go(from, into)} />
          <span aria-hidden="true">{text.merge.into}</span>
          <BranchMenu branches={branches} chosen={into} label={text.merge.into} choose={(to) => go(source, to)} />
        </div>
      </div>
      <p class="outcome" role="status">{outcomeOf(merge)}</p>
      {merge.decision.value && <Conflicts decision={merge.decision.value} sides={{ ours: into, theirs: source,
        place: placeOf(project, into), theirPlace: placeOf(project, source) }} />}
      <Failure merge={merge} />
      <Send merge={merge} />
      <Incoming merge={merge} />
    </div>
  );
}

function outcomeOf({ isSame, into, outcome, decision }: Merge): string {
  if (isSame) return text.merge.same;
  if (decision.value) return text.merge.conflicts(decision.value.conflicts.length);
  switch (outcome.value) {
    case null: return "";
    case "fastForward": return text.merge.fastForward(into);
    case "merged": return text.merge.merged;
    case "upToDate": return text.merge.upToDate;
  }
}

function Failure({ merge: { failure, hasChanges, opened, into } }: { merge: Merge }) {
  return (
    <p class="failure" role="alert">
      {failure.value}
      {hasChanges.value && (
        <a class="button" href={projectHref(opened.project, "/changes", into)}>{text.merge.toChanges(into)}</a>
      )}
    </p>
  );
}

function Send({ merge }: { merge: Merge }) {
  const { outcome, decision, isSending, opened, into } = merge;
  const decided = decision.value;
  if (!decided && (outcome.value === null || outcome.value === "upToDate")) return null;
  const send = async () => {
    const hash = await merge.send();
    if (!hash) return;
    tell(text.merge.done(hash));
    open(projectHref(opened.project, `/commits/${hash}`, into));
  };
  return (
    <div class="actions">
      {decided && <span class="soft">
        {text.merge.decided(decided.resolutions.value.length, decided.conflicts.length)}</span>}
      <Button name={text.branches.merge} icon="branch" kind="primary" onClick={send}
        disabled={isSending.value || (decided !== null && !decided.isWhole.value)} />
    </div>
  );
}

function Incoming({ merge: { incoming, source, into } }: { merge: Merge }) {
  if (!incoming.value) return null;
  const { compared, hasCommon } = incoming.value;
  return (
    <div class="incoming">
      <h2>{text.merge.what}</h2>
      <p class="soft">{hasCommon ? text.versions.since(source, into, compared.baseHash)
        : text.versions.states(into, source)}</p>
      <ComparedList compared={compared} />
    </div>
  );
}
