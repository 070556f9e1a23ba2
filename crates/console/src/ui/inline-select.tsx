// A choice that is made in place, as the role of a person in a list: a small button that opens a menu.

import { Icon } from "./icon";
import { MenuButton } from "./menu";
import type { Choice } from "./picker";

export interface InlineSelectProps {
  label: string;
  choices: readonly Choice[];
  value: string;
  /** Shows the choice as text, to those who can't make it. */
  disabled?: boolean;
  onChange: (value: string) => void;
}

export function InlineSelect({ label, choices, value, disabled = false, onChange }: InlineSelectProps) {
  const name = choices.find((choice) => choice.value === value)?.name ?? value;
  if (disabled) return <span class="soft role">{name}</span>;
  const options = () => ({
    label,
    entries: () =>
      choices.map((choice) => ({
        name: choice.name,
        checked: choice.value === value,
        run: () => {
          if (choice.value !== value) onChange(choice.value);
        },
      })),
  });
  return (
    <MenuButton name={name} label={`${label}: ${name}`} kind="role" options={options}>
      <Icon name="down" />
    </MenuButton>
  );
}

