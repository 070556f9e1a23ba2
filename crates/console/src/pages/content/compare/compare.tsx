// Two branches or commits compared, as a whole or by an object and what is in it. Of two branches, what the second has
// changed since both began from the same commit.

import { ApiError } from "../../../api/errors";
import { Compared } from "../../../model/content/comparison";
import { openProject, placeOf } from "../../../model/content/project";
import { text } from "../../../text";
import { open, search } from "../../../ui/address";
import { Icon } from "../../../ui/icon";
import { usePlace } from "../../../ui/place";
import { BranchMenu } from "../../parts/branch";
import { ComparedList } from "../../parts/comparison/compared";
import { PageState } from "../../parts/page-state";
import type { PageProps } from "../../parts/page-props";
import { projectPlace } from "../../parts/project-place";

async function read(id: string, from: string | null, to: string | null, object: string | undefined) {
  const opened = await openProject(id, null);
  const { project, branches } = opened;
  const [base, head] = [from ?? project.defaultBranch, to ?? project.defaultBranch];
  // A commit's hash may stand in the place of a branch.
  const isBranch = (name: string) => branches.some((one) => one.name === name);
  const places = [head, base].map((name) => (isBranch(name) ? placeOf(project, name) : id));
  const areBranches = base !== head && isBranch(base) && isBranch(head);
  const states = () => Compared.open(id, { base, head }, { places, object });
  let hasCommon = areBranches;
  const compared = !areBranches ? await states()
    : await Compared.open(id, { base, head, mergeBase: true }, { places, object }).catch((error: unknown) => {
      // Histories without a common commit are compared as they are.
      if (!(error instanceof ApiError) || error.isPassing) throw error;
      hasCommon = false;
      return states();
    });
  return { opened, base, head, areBranches, hasCommon, compared };
}

export default function ComparePage({ parameters: { project = "" } }: PageProps) {
  const [base, head, object] = ["base", "head", "object"].map((name) => search.value.get(name)) as
    [string | null, string | null, string | null];
  return (
    <PageState read={() => read(project, base, head, object ?? undefined)} keys={[project, base, head, object]}>
      {(value) => <Opened key={`${base} ${head} ${object}`} {...value} />}
    </PageState>
  );
}

function Opened({ opened, base, head, areBranches, hasCommon, compared }: Awaited<ReturnType<typeof read>>) {
  const { project } = opened;
  const title = text.branches.compare;
  usePlace(projectPlace(opened, "/branches", title), [opened]);
  const address = (from: string, to: string) =>
    `/projects/${project.id}/compare?${new URLSearchParams({ base: from, head: to }).toString()}`;
  const go = (from: string, to: string) => open(address(from, to));
  const all = (chosen: string) => (opened.branches.some(({ name }) => name === chosen) ? opened.branches
    : [{ name: chosen }, ...opened.branches]);
  const merge = new URLSearchParams({ source: head, into: base }).toString();
  return (
    <div class="page">
      <div class="heading">
        <h1>{title}</h1>
        <div class="between">
          <BranchMenu branches={all(base)} chosen={base} label={text.branches.base} choose={(from) => go(from, head)} />
          <span aria-hidden="true">→</span>
          <BranchMenu branches={all(head)} chosen={head} label={text.branches.head} choose={(to) => go(base, to)} />
        </div>
        {areBranches && (
          <a class="button" aria-label={text.branches.mergeOf(head)} href={`/projects/${project.id}/merge?${merge}`}>
            <Icon name="branch" />{text.branches.merge}
          </a>
        )}
      </div>
      {areBranches && <p class="soft">{hasCommon ? text.versions.since(head, base, compared.baseHash)
        : text.versions.states(base, head)}</p>}
      <Alone compared={compared} whole={address(base, head)} />
      <ComparedList compared={compared} />
    </div>
  );
}

/** Says that an object alone is compared, and leads to all differences. */
function Alone({ compared, whole }: { compared: Compared; whole: string }) {
  const { object, nameOf } = compared.comparison.value;
  if (object === undefined) return null;
  return (
    <p class="soft" dir="auto">
      {text.versions.alone(nameOf(object) ?? "")} <a href={whole}>{text.versions.whole}</a>
    </p>
  );
}
