// The box that commits all changes. Its text outlives a reload.

import { useSignal } from "@preact/signals";
import { useMemo } from "preact/hooks";
import { newKey } from "../../../api/persist";
import { draftOf } from "../../../api/storage";
import type { Changes } from "../../../model/content/changes";
import { tell } from "../../../model/messages";
import { projectHref } from "../../../model/content/project";
import { text } from "../../../text";
import { open } from "../../../ui/address";
import { Form } from "../../../ui/form";

export function CommitBox({ changes }: { changes: Changes }) {
  const { project, branch, caller } = changes.opened;
  const draft = useMemo(() => draftOf(caller.id, `commit:${project.id}:${branch}`), []);
  const [message, key] = [useSignal(draft.read() ?? ""), useSignal(newKey())];
  const send = async () => {
    const hash = await changes.commit(message.value, key.value);
    key.value = newKey();
    draft.end();
    tell(text.files.committed(hash));
    open(projectHref(project, `/commits/${hash}`, branch));
  };
  return (
    <Form class="commit-box" action={text.files.commit} send={send}>
      <div class="field">
        <label for="commit-message">{text.files.message}</label>
        <textarea id="commit-message" name="message" rows={2} required dir="auto" value={message.value}
          onInput={(event) => {
            message.value = event.currentTarget.value;
            draft.keep(message.value);
          }} />
      </div>
    </Form>
  );
}
