// Taking a commit back, with its conflicts decided by clicking.

import { useSignal, type Signal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { reasonOf } from "../../../api/errors";
import { newKey } from "../../../api/persist";
import { revert, type Resolution } from "../../../api/content/versions";
import { conflictsOf, Decision } from "../../../model/content/conflicts";
import { tell } from "../../../model/messages";
import { placeOf, projectHref, type OpenedProject } from "../../../model/content/project";
import { text } from "../../../text";
import { open } from "../../../ui/address";
import { Button } from "../../../ui/button";
import { ask } from "../../../ui/dialog";
import { Select } from "../../../ui/picker";
import { Conflicts } from "../../parts/conflicts";

/** A revert that has conflicts. */
export interface OpenRevert {
  onto: string;
  decision: Decision;
}

/** Asks for the branch; a revert with conflicts is shown by `shown`. */
export function askRevert(opened: OpenedProject, hash: string, shown: Signal<OpenRevert | null>): void {
  const key = newKey();
  const { branch, branches } = opened;
  ask({
    title: text.versions.reverts,
    action: text.versions.revert,
    cancel: text.cancel,
    fields: <>
      <p class="help">{text.versions.revertHelp}</p>
      <Select label={text.versions.onto} name="branch" value={branch}
        choices={branches.map(({ name }) => ({ value: name, name }))} />
    </>,
    async send(form) {
      const onto = String(form.get("branch"));
      try {
        await send(opened, hash, onto, [], key);
      } catch (error) {
        const conflicts = conflictsOf(error);
        if (!conflicts) throw error;
        shown.value = { onto, decision: new Decision(conflicts) };
      }
    },
  });
}

async function send({ project }: OpenedProject, hash: string, onto: string, resolutions: Resolution[], key: string) {
  const made = await revert(project.id, hash, { branch: onto, resolutions }, key);
  const isNothing = made.status === "upToDate";
  tell(isNothing ? text.merge.upToDate : text.versions.reverted);
  open(projectHref(project, isNothing ? "/history" : `/commits/${made.commitHash}`, onto));
}

interface RevertConflictsProps {
  opened: OpenedProject;
  hash: string;
  open: OpenRevert;
  nameOf: (id: string) => string | undefined;
}

export function RevertConflicts({ opened, hash, open: { onto, decision }, nameOf }: RevertConflictsProps) {
  const [failure, isSending] = [useSignal(""), useSignal(false)];
  const title = useRef<HTMLHeadingElement>(null);
  // The dialog that asked gives the focus back when it closes.
  useEffect(() => { requestAnimationFrame(() => title.current?.focus()); }, [decision]);
  const decide = async () => {
    isSending.value = true;
    failure.value = "";
    await send(opened, hash, onto, decision.resolutions.value, newKey())
      .catch((error: unknown) => { failure.value = reasonOf(error); });
    isSending.value = false;
  };
  const count = decision.conflicts.length;
  return (
    <section class="decision">
      <h2 ref={title} tabIndex={-1}>{text.merge.conflicts(count)}</h2>
      <Conflicts decision={decision} sides={{ place: placeOf(opened.project, onto), ours: onto,
        theirs: text.versions.before.toLowerCase(), nameOf }} />
      <p class="failure" role="alert">{failure.value}</p>
      <div class="actions">
        <span class="soft">{text.merge.decided(decision.resolutions.value.length, count)}</span>
        <Button name={text.versions.revert} kind="primary" disabled={!decision.isWhole.value || isSending.value}
          onClick={decide} />
      </div>
    </section>
  );
}
