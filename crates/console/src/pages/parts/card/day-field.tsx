// A day of a card, for example its start or its due date: a button that says it, and a month to choose another.

import { useSignal } from "@preact/signals";
import { useRef } from "preact/hooks";
import { isLate, today } from "../../../model/planning/due";
import type { FieldDraft } from "../../../model/planning/field-draft";
import type { OpenCard } from "../../../model/planning/open-card";
import { text } from "../../../text";
import { MonthPopover } from "../../../ui/date-picker";
import { Icon } from "../../../ui/icon";
import { dayOf } from "../../../ui/time";
import { Refusal, useDraft } from "./fields";

interface DayFieldProps {
  card: OpenCard;
  name: "start_date" | "deadline";
  label: string;
}

export function DayField({ card, name, label }: DayFieldProps) {
  const isDue = name === "deadline";
  return <DayChooser draft={useDraft(card, name)} id={`field-card-${isDue ? "due" : "start"}`} label={label}
    none={isDue ? text.filters.due.none : text.card.noStart} isOver={isDue && isLate(card.summary.value)} />;
}

interface DayChooserProps {
  draft: FieldDraft;
  id: string;
  label: string;
  /** Stands in place of a day. */
  none: string;
  isOver?: boolean;
  /** The day can be changed and not cleared. */
  isRequired?: boolean;
  describedBy?: string | undefined;
}

export function DayChooser({ draft, id, label, none, isOver = false, isRequired, describedBy }: DayChooserProps) {
  const isOpen = useSignal(false);
  const control = useRef<HTMLButtonElement>(null);
  const day = draft.value.value;
  const choose = (chosen: string) => {
    draft.type(chosen);
    isOpen.value = false;
    void draft.leave();
  };
  const said = day ? dayOf(day) : none;
  return (
    <div>
      <button ref={control} type="button" id={id} class="button plain small chooser" aria-haspopup="dialog"
        aria-expanded={isOpen.value} aria-label={`${label}: ${said}`} aria-describedby={describedBy} data-value={day}
        onClick={() => { isOpen.value = true; }}>
        <Icon name="calendar" />
        <span class={isOver ? "late" : day ? "" : "soft"}>{said}</span>
      </button>
      {isOpen.value && (
        <MonthPopover label={label} anchor={() => control.current} close={() => { isOpen.value = false; }}
          value={day} today={today()} words={text.dates} choose={choose}
          clear={day && !isRequired ? () => choose("") : undefined} />
      )}
      <Refusal draft={draft} />
    </div>
  );
}
