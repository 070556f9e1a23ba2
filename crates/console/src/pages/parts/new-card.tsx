// The field for a new card; its text stays until the card is made.

import { useSignal } from "@preact/signals";
import { useLayoutEffect, useMemo, useRef } from "preact/hooks";
import type { NewCardFields } from "../../api/planning/custom-fields";
import { newKey } from "../../api/persist";
import { draftOf } from "../../api/storage";
import type { OpenedTeam } from "../../model/planning/team";
import { text } from "../../text";
import { Button } from "../../ui/button";
import { FieldFailure, Form } from "../../ui/form";
import { isComposing } from "../../ui/keys";
import { Select } from "../../ui/picker";
import { makeCard } from "./make-card";
import { TypeChoice } from "./type-choice";

interface NewCardProps {
  opened: OpenedTeam;
  /** Names the place in the drafts of the tab. */
  draft: string;
  label?: string;
  add: (project: string, card: NewCardFields, key: string) => Promise<unknown>;
}

/** A button that becomes the field. */
export function NewCard({ label, ...rest }: NewCardProps) {
  const isOpen = useSignal(false);
  const show = () => { isOpen.value = true; };
  if (isOpen.value) return <CardField {...rest} end={() => { isOpen.value = false; }} />;
  const named = label ? { label } : {};
  return <Button name={text.board.add} {...named} icon="plus" kind="plain small add-card" onClick={show} />;
}

/** The field alone, where the place of the button decides if it is open. */
export function CardField({ opened, draft: field, add, end }: Omit<NewCardProps, "label"> & { end: () => void }) {
  const { projects, caller } = opened;
  const draft = useMemo(() => draftOf(caller.id, field), []);
  const name = useSignal(draft.read() ?? "");
  const key = useSignal(newKey());
  const project = useSignal(projects[0]?.id ?? "");
  const input = useRef<HTMLInputElement>(null);
  useLayoutEffect(() => input.current?.focus(), []);
  if (projects.length === 0) return <p class="soft">{text.board.noProject}</p>;
  const send = async (form: FormData) => {
    const typed = name.peek();
    const type = form.get("type");
    const card = { name: typed, ...(type ? { type: String(type) } : {}) };
    await makeCard(project.peek(), card, key.peek(), (made, again) => add(project.peek(), made, again));
    key.value = newKey();
    // The next card is begun in the same place, unless it has been begun already.
    if (name.peek() === typed) {
      name.value = "";
      draft.end();
    }
    input.current?.scrollIntoView({ block: "nearest" });
  };
  const cancel = () => {
    draft.end();
    end();
  };
  const onKey = (event: KeyboardEvent) => {
    if (event.key === "Escape" && !isComposing(event)) end();
    event.stopPropagation();
  };
  const onInput = (event: { currentTarget: HTMLInputElement }) => {
    name.value = event.currentTarget.value;
    draft.keep(name.value);
  };
  const names = projects.map((one) => ({ value: one.id, name: one.name }));
  return (
    <div class="new-card" onKeyDown={onKey}>
      <Form action={text.board.adds} cancel={{ name: text.cancel, run: cancel }} send={send}>
        <input ref={input} name="name" required autocomplete="off" aria-label={text.board.name}
          placeholder={text.board.name} dir="auto" value={name.value} onInput={onInput} />
        <FieldFailure name="name" />
        {projects.length > 1 && <Select label={text.board.project} name="project" choices={names}
          onChange={(chosen) => { project.value = chosen; }} />}
        <TypeChoice key={project.value} project={project.value} />
      </Form>
    </div>
  );
}
