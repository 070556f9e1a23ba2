// A day of a card, its start or its due date: a button that says it, and a month to choose another.

import { useSignal } from "@preact/signals";
import { useRef } from "preact/hooks";
import { isLate, today } from "../../../model/planning/due";
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
  const draft = useDraft(card, name);
  const isOpen = useSignal(false);
  const control = useRef<HTMLButtonElement>(null);
  const day = draft.value.value;
  const choose = (chosen: string) => {
    draft.type(chosen);
    isOpen.value = false;
    void draft.leave();
  };
  const said = day ? dayOf(day) : name === "deadline" ? text.filters.due.none : text.card.noStart;
  const isOver = name === "deadline" && isLate(card.summary.value);
  return (
    <div>
      <button ref={control} type="button" id={`field-card-${name === "deadline" ? "due" : "start"}`}
        class="button plain small chooser" aria-haspopup="dialog" aria-expanded={isOpen.value}
        aria-label={`${label}: ${said}`} data-value={day} onClick={() => { isOpen.value = true; }}>
        <Icon name="calendar" />
        <span class={isOver ? "late" : day ? "" : "soft"}>{said}</span>
      </button>
      {isOpen.value && (
        <MonthPopover label={label} anchor={() => control.current} close={() => { isOpen.value = false; }}
          value={day} today={today()} words={text.dates} choose={choose} clear={day ? () => choose("") : undefined} />
      )}
      <Refusal draft={draft} />
    </div>
  );
}
