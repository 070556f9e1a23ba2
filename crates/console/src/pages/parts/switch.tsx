// A choice of a page among few values, which its address keeps.

import { setParameters } from "../../ui/address";

interface SwitchProps {
  label: string;
  /** The parameter of the address that keeps the choice. */
  name: string;
  chosen: string;
  choices: readonly (readonly [value: string, said: string])[];
}

export function Switch({ label, name, chosen, choices }: SwitchProps) {
  return (
    <div class="switch" role="group" aria-label={label}>
      {choices.map(([value, said]) => (
        <button key={value} type="button" aria-pressed={value === chosen} data-choice={value}
          onClick={() => setParameters({ [name]: value })}>{said}</button>
      ))}
    </div>
  );
}
