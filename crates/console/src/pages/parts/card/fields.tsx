// The fields of a card, changed in place. A refusal stands beside the field, and nothing typed is lost.

import type { Signal } from "@preact/signals";
import { useEffect, useMemo, useRef } from "preact/hooks";
import { FieldDraft } from "../../../model/planning/field-draft";
import type { OpenCard } from "../../../model/planning/open-card";
import { text } from "../../../text";
import { Button } from "../../../ui/button";
import { isComposing } from "../../../ui/keys";

type DraftName = "name" | "description" | "effort" | "start_date" | "deadline";

/** The typed text of the field `name` as the model of the card changes it. */
export function useDraft(card: OpenCard, name: DraftName): FieldDraft {
  return useMemo(() => new FieldDraft({
    name,
    head: () => card.head,
    refresh: () => card.refresh(),
    read: () => {
      const value = card.now.value.card[name];
      if (name === "deadline" || name === "start_date") return String(value ?? "").slice(0, 10);
      return name === "effort" && !value ? "" : String(value ?? "");
    },
    save: (typed, head) => {
      if (name === "effort") return card.change({ effort: Number(typed) }, head);
      if (name === "deadline") return card.change({ deadline: typed || null }, head);
      if (name === "start_date") return card.change({ start_date: typed || null }, head);
      return card.change(name === "name" ? { name: typed.trim() } : { description: typed }, head);
    },
  }), [card]);
}

/** Keys of a field in one line: Enter saves, and Escape drops what was typed. */
export function draftKeys(event: KeyboardEvent & { currentTarget: HTMLElement }, draft: FieldDraft): void {
  if (isComposing(event)) return;
  if (event.key === "Enter") {
    event.preventDefault();
    event.currentTarget.blur();
  } else if (event.key === "Escape" && draft.typed.peek() !== null) {
    event.stopPropagation();
    draft.drop();
  }
}

/** The name, as a heading that can be typed in. */
export function NameField({ card, editing }: { card: OpenCard; editing?: Signal<boolean> }) {
  const draft = useDraft(card, "name");
  const input = useRef<HTMLTextAreaElement>(null);
  useEffect(() => {
    if (!editing?.value) return;
    editing.value = false;
    input.current?.focus();
  }, [editing?.value]);
  return (
    <>
      <textarea ref={input} id="field-card-name" class="card-name" rows={1} aria-label={text.board.name} dir="auto"
        maxLength={255} value={draft.value.value} onInput={(event) => draft.type(event.currentTarget.value)}
        onBlur={() => void draft.leave()} onKeyDown={(event) => draftKeys(event, draft)} />
      <Refusal draft={draft} />
    </>
  );
}

/** The effort, saved when the field is left. */
export function EffortField({ card }: { card: OpenCard }) {
  const draft = useDraft(card, "effort");
  const onKey = (event: KeyboardEvent) => {
    if (isComposing(event)) return;
    if (event.key === "Enter") void draft.leave();
    if (event.key === "Escape" && draft.typed.peek() !== null) {
      event.stopPropagation();
      draft.drop();
    }
  };
  return (
    <div>
      <input id="field-card-effort" type="number" min={0} aria-label={text.board.effort}
        placeholder={text.card.noEffort} class="quiet-input" value={draft.value.value}
        onInput={(event) => draft.type(event.currentTarget.value)} onBlur={() => void draft.leave()}
          onKeyDown={onKey} />
      <Refusal draft={draft} />
    </div>
  );
}

/** Why a field wasn't saved. Where somebody else changed it, the person decides whose text holds. */
export function Refusal({ draft, saved, theirs }: { draft: FieldDraft; saved?: () => void; theirs?: () => void }) {
  const conflict = draft.conflict.value;
  const keep = async () => { if (await draft.keepMine()) saved?.(); };
  const take = () => {
    draft.drop();
    theirs?.();
  };
  return (
    <div class="failure" role="alert">
      {conflict === null ? draft.failure.value : (
        <>
          <span>{text.card.conflict}</span>
          <blockquote dir="auto">{conflict || "–"}</blockquote>
          <span class="actions">
            <Button name={text.card.takeTheirs} onClick={take} />
            <Button name={text.card.keepMine} onClick={keep} />
          </span>
        </>
      )}
    </div>
  );
}
