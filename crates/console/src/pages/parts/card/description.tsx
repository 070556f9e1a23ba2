// The description of a card: Markdown to read, its text to change. What is typed outlives a reload.

import { useSignal, type Signal } from "@preact/signals";
import { useEffect, useMemo, useRef } from "preact/hooks";
import { draftOf } from "../../../api/storage";
import type { CardAttachments } from "../../../model/planning/card-attachments";
import type { FieldDraft } from "../../../model/planning/field-draft";
import type { Mentionable } from "../../../model/planning/mention-list";
import type { OpenCard } from "../../../model/planning/open-card";
import { text } from "../../../text";
import { Button } from "../../../ui/button";
import { isComposing, isSend } from "../../../ui/keys";
import { Markdown } from "../../../ui/markdown";
import { Mentions } from "../mentions";
import { AttachedFile } from "./attached-file";
import { Refusal, useDraft } from "./fields";
import { mentionsOf } from "./kind-pickers";
import { useTextField } from "./text-field";

/** The kept draft, with the head of the text that it began with. */
function keptOf(card: OpenCard, me: string) {
  const place = `/projects/${card.path.projectId}/cards/${card.path.cardId}/description`;
  const [typed, head, before] = ["", "/head", "/before"].map((part) => draftOf(me, place + part));
  return {
    restore(draft: FieldDraft) {
      const said = typed?.read() ?? null;
      if (said === null) return false;
      draft.type(said);
      draft.begin(head?.read() ?? undefined, before?.read() ?? undefined);
      return true;
    },
    keep(draft: FieldDraft, said: string) {
      typed?.keep(said);
      head?.keep(draft.head);
      before?.keep(draft.baseValue);
    },
    end: () => [typed, head, before].forEach((one) => one?.end()),
  };
}

interface DescriptionProps {
  card: OpenCard;
  attachments: CardAttachments;
  /** The id of the caller. */
  me: string;
}

export function Description({ card, attachments, me }: DescriptionProps) {
  const draft = useDraft(card, "description");
  const kept = useMemo(() => keptOf(card, me), [card]);
  const isEdited = useSignal(useMemo(() => kept.restore(draft), [card]));
  const description = card.now.value.card.description;
  const mentions = mentionsOf(card);
  const end = () => {
    kept.end();
    draft.drop();
    isEdited.value = false;
  };
  const edit = () => {
    draft.isSaved.value = false;
    isEdited.value = true;
  };
  const isOpen = isEdited.value || !description;
  return (
    <section>
      <div class="description">
        <div class="section-head">
          <h3>{text.board.description}</h3>
          {!isOpen && <Button name={text.card.editDescription} icon="pencil" kind="plain small" quiet onClick={edit} />}
        </div>
        {isOpen ? <DescriptionEditor draft={draft} isEdited={isEdited} end={end}
          people={card.around.value.members} attachments={attachments} keep={(said) => kept.keep(draft, said)} />
          : <Markdown source={description} words={(said) => <Mentions said={said} place={mentions} />}
            files={(file) => <AttachedFile file={file} attachments={attachments} />} />}
      </div>
      <Refusal draft={draft} saved={end} theirs={end} />
      <p class="soft" role="status">{draft.isSaved.value ? text.board.saved : ""}</p>
    </section>
  );
}

interface DescriptionEditorProps {
  draft: FieldDraft;
  isEdited: Signal<boolean>;
  end: () => void;
  /** The people whom the text can mention. */
  people: readonly Mentionable[];
  attachments: CardAttachments;
  keep: (said: string) => void;
}

function DescriptionEditor({ draft, isEdited, end, people, attachments, keep }: DescriptionEditorProps) {
  const input = useRef<HTMLTextAreaElement>(null);
  const type = (said: string) => {
    draft.type(said);
    keep(said);
  };
  const mentions = useTextField({ input, people, attachments, type });
  const isSending = useSignal(false);
  useEffect(() => { if (isEdited.peek()) input.current?.focus(); }, []);
  const send = async () => {
    if (isSending.peek()) return;
    isSending.value = true;
    if (await draft.leave()) end();
    isSending.value = false;
  };
  const onKey = (event: KeyboardEvent) => {
    if (mentions.onKey(event)) return;
    if (isSend(event)) void send();
    if (event.key !== "Escape" || isComposing(event)) return;
    event.stopPropagation();
    if (draft.typed.peek() === null) end();
    input.current?.blur();
  };
  return (
    <>
      <textarea ref={input} id="field-card-description" rows={isEdited.value ? 8 : 2}
        aria-label={text.board.description}
        placeholder={text.card.describe} dir="auto" readOnly={isSending.value} value={draft.value.value}
        onFocus={() => { isEdited.value = true; }}
        // An unchanged editor closes as unchanged.
        onBlur={(event) => {
          mentions.close();
          const isInside = event.relatedTarget instanceof Element && event.relatedTarget.closest(".description");
          if (draft.typed.peek() === null && !isInside) isEdited.value = false;
        }}
        onInput={(event) => {
          type(event.currentTarget.value);
          mentions.read();
        }} onKeyDown={onKey} {...mentions.attributes} />
      {mentions.list}
      {isEdited.value && (
        <div class="actions">
          <span class="soft help">{text.card.markdown}</span>
          <Button name={text.cancel} onClick={end} />
          <Button name={text.board.save} kind="primary" disabled={isSending.value} onClick={send} />
        </div>
      )}
    </>
  );
}
