// The due date of a card: a button that says it, and a month to choose another.

import { useSignal } from "@preact/signals";
import { useRef } from "preact/hooks";
import { isLate, today } from "../../../model/planning/due";
import type { OpenCard } from "../../../model/planning/open-card";
import { text } from "../../../text";
import { MonthPopover } from "../../../ui/date-picker";
import { Icon } from "../../../ui/icon";
import { dayOf } from "../../../ui/time";
import { Refusal, useDraft } from "./fields";

export function DueField({ card }: { card: OpenCard }) {
  const draft = useDraft(card, "deadline");
  const isOpen = useSignal(false);
  const control = useRef<HTMLButtonElement>(null);
  const day = draft.value.value;
  const choose = (chosen: string) => {
    draft.type(chosen);
    isOpen.value = false;
    void draft.leave();
  };
  const said = day ? dayOf(day) : text.filters.due.none;
  return (
    <div>
      <button ref={control} type="button" id="field-card-due" class="button plain small chooser" aria-haspopup="dialog"
        aria-expanded={isOpen.value} aria-label={`${text.board.due}: ${said}`} data-value={day}
        onClick={() => { isOpen.value = true; }}>
        <Icon name="calendar" />
        <span class={isLate(card.summary.value) ? "late" : day ? "" : "soft"}>{said}</span>
      </button>
      {isOpen.value && (
        <MonthPopover label={text.board.due} anchor={() => control.current} close={() => { isOpen.value = false; }}
          value={day} today={today()} words={text.dates} choose={choose} clear={day ? () => choose("") : undefined} />
      )}
      <Refusal draft={draft} />
    </div>
  );
}
