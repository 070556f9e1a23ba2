// A field for a text with Markdown: it offers people for handles, and attaches files that are pasted or dropped in it.

import type { RefObject } from "preact";
import type { CardAttachments } from "../../../model/planning/card-attachments";
import { withReferences } from "../../../model/planning/file-references";
import { tellFailure } from "../../../model/messages";
import type { Mentionable } from "../../../model/planning/mention-list";
import { takenFiles } from "./attachments";
import { useMentionList } from "./mention-list";

interface TextField {
  input: RefObject<HTMLTextAreaElement | null>;
  people: readonly Mentionable[];
  attachments: CardAttachments;
  /** Takes the changed text. */
  type: (said: string) => void;
}

/** The props of the field, as those of the list of people. */
export function useTextField({ input, people, attachments, type }: TextField) {
  const mentions = useMentionList({ input, people, type });
  const attach = async (files: readonly File[]) => {
    const attached = await attachments.add(files);
    const field = input.current;
    // A field that was closed meanwhile takes nothing. The files stay with the card.
    if (!field || field.readOnly || attached.length === 0) return;
    const { said, caret } = withReferences(field.value, field.selectionEnd, attached);
    type(said);
    field.value = said;
    field.setSelectionRange(caret, caret);
  };
  const { onDrop, onPaste } = takenFiles((files) => void attach(files).catch(tellFailure));
  return { ...mentions, attributes: { ...mentions.attributes, onDrop, onPaste } };
}
