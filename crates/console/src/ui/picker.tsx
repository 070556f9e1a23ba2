// Pickers: a choice among named values, a day, a colour. Each is a button that opens a menu or a popover, and a
// hidden input that gives the value to the form around it.

import { useSignal } from "@preact/signals";
import type { ComponentChild } from "preact";
import { useId, useRef } from "preact/hooks";
import { useFailure } from "./form";
import { Dot, Icon } from "./icon";
import { openMenu } from "./menu-state";

export interface Choice {
  value: string;
  name: string;
  lead?: ComponentChild;
}

export interface SelectProps {
  label: string;
  name: string;
  choices: readonly Choice[];
  value?: string;
  help?: string;
  /** Name of the field that finds a choice; without it there is no field. */
  find?: string;
  onChange?: (value: string) => void;
}

/** A choice among named values. */
export function Select({ label, name, choices, value, help, find, onChange }: SelectProps) {
  const chosen = useSignal(value ?? choices[0]?.value ?? "");
  const control = useRef<HTMLButtonElement>(null);
  const id = useId();
  const message = useFailure(name);
  const known = choices.find((choice) => choice.value === chosen.value);
  const choose = (now: string) => {
    chosen.value = now;
    onChange?.(now);
  };
  const show = () => {
    if (control.current)
      openMenu(control.current, {
        label,
        ...(find ? { find } : {}),
        entries: () =>
          choices.map((choice) => ({
            name: choice.name,
            lead: choice.lead,
            checked: choice.value === chosen.value,
            run: () => choose(choice.value),
          })),
      });
  };
  return (
    <div class="field">
      <label id={`${id}-label`} for={`field-${name}`}>
        {label}
      </label>
      <button
        ref={control}
        type="button"
        id={`field-${name}`}
        class="button picker"
        role="combobox"
        aria-haspopup="menu"
        aria-expanded="false"
        aria-labelledby={`${id}-label`}
        aria-describedby={message ? `${id}-failure` : help ? `${id}-help` : undefined}
        data-value={chosen.value}
        onClick={show}
      >
        {known?.lead}
        <span class="name" dir="auto">
          {known?.name ?? ""}
        </span>
        <Icon name="down" />
      </button>
      <input type="hidden" name={name} value={chosen.value} />
      {help && <p class="help" id={`${id}-help`}>{help}</p>}
      {message && <p class="failure" role="alert" id={`${id}-failure`}>{message}</p>}
    </div>
  );
}

/** The colours to choose from, apart enough to tell in light and dark. */
export const COLORS = [
  "#EF4444",
  "#F97316",
  "#EAB308",
  "#22C55E",
  "#10B981",
  "#06B6D4",
  "#3B82F6",
  "#6366F1",
  "#A855F7",
  "#EC4899",
  "#78716C",
  "#808080",
];

/** A colour among twelve, or the one that it has. */
export function ColorPicker({ label, name, value }: { label: string; name: string; value: string }) {
  const chosen = useSignal(value.toUpperCase());
  const all = COLORS.includes(chosen.value) ? COLORS : [...COLORS, chosen.value];
  return (
    <fieldset class="field colors">
      <legend>{label}</legend>
      {all.map((color) => (
        <label key={color} class="color" title={color}>
          <input
            type="radio"
            name={name}
            value={color}
            checked={color === chosen.value}
            aria-label={color}
            onChange={() => {
              chosen.value = color;
            }}
          />
          <Dot color={color} />
        </label>
      ))}
    </fieldset>
  );
}
