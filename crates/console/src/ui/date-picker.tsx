// A day of a form: a button that says it and opens a month, and a hidden input that gives it to the form.

import { useSignal } from "@preact/signals";
import { useId, useLayoutEffect, useRef } from "preact/hooks";
import { sayDay, type DayText } from "./calendar";
import { useFailure } from "./form";
import { Icon } from "./icon";
import { isComposing } from "./keys";
import { placeBelow } from "./menu";
import { Month, type DateWords, type MonthProps } from "./month";

export interface DatePickerProps {
  label: string;
  name: string;
  words: DateWords;
  today: DayText;
  value?: DayText;
  help?: string;
  required?: boolean;
  onChange?: (day: DayText) => void;
}

export function DatePicker({ label, name, words, today, value = "", help, required, onChange }: DatePickerProps) {
  const chosen = useSignal(value);
  const isOpen = useSignal(false);
  const control = useRef<HTMLButtonElement>(null);
  const message = useFailure(name);
  const id = useId();
  const choose = (day: DayText) => {
    chosen.value = day;
    isOpen.value = false;
    onChange?.(day);
  };
  return (
    <div class="field">
      <label id={`${id}-label`} for={`field-${name}`}>{label}</label>
      <button
        ref={control}
        type="button"
        id={`field-${name}`}
        class="button picker"
        aria-haspopup="dialog"
        aria-expanded={isOpen.value}
        aria-labelledby={`${id}-label ${id}-value`}
        aria-describedby={message ? `${id}-failure` : help ? `${id}-help` : undefined}
        data-value={chosen.value}
        onClick={() => { isOpen.value = true; }}
      >
        <Icon name="calendar" />
        <span id={`${id}-value`} class={chosen.value ? "name" : "name soft"}>
          {chosen.value ? sayDay(chosen.value) : words.none}
        </span>
      </button>
      <input type="hidden" name={name} value={chosen.value} />
      {help && <p class="help" id={`${id}-help`}>{help}</p>}
      {message && <p class="failure" role="alert" id={`${id}-failure`}>{message}</p>}
      {isOpen.value && (
        <MonthPopover label={label} anchor={() => control.current} close={() => { isOpen.value = false; }}
          value={chosen.value} today={today} words={words} choose={choose}
          clear={required || !chosen.value ? undefined : () => choose("")} />
      )}
    </div>
  );
}

interface MonthPopoverProps extends MonthProps {
  label: string;
  anchor: () => Element | null;
  close: () => void;
}

/** A month that floats at an element until a day is chosen. The platform returns the focus. */
export function MonthPopover({ label, anchor, close, ...month }: MonthPopoverProps) {
  const element = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const [shown, at] = [element.current, anchor()];
    if (!shown || !at) return;
    shown.showPopover();
    placeBelow(shown, at.getBoundingClientRect());
    shown.querySelector("input")?.focus();
    return () => shown.hidePopover();
  }, []);
  const onKey = (event: KeyboardEvent) => {
    if (event.key !== "Escape" || isComposing(event)) return;
    // The dialog around it stays.
    event.preventDefault();
    event.stopPropagation();
    element.current?.hidePopover();
  };
  return (
    <div ref={element} class="menu month-menu" popover="auto" role="dialog" aria-label={label} onKeyDown={onKey}
      onToggle={(event) => { if (event.newState === "closed") close(); }}>
      <Month {...month} />
    </div>
  );
}
