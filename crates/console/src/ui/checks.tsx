// A group of boxes to tick, which a form reads by one name.

import { useId } from "preact/hooks";
import { useFailure } from "./form";

export interface ChecksProps {
  label: string;
  name: string;
  help?: string;
  choices: readonly { value: string; name: string }[];
  ticked: readonly string[];
}

export function Checks({ label, name, help, choices, ticked }: ChecksProps) {
  const id = useId();
  const message = useFailure(name);
  return (
    <fieldset class="checks" aria-describedby={help ? id : undefined}>
      <legend>{label}</legend>
      {choices.map((choice) => (
        <label key={choice.value} class="check">
          <input type="checkbox" name={name} value={choice.value} defaultChecked={ticked.includes(choice.value)} />
          <span dir="auto">{choice.name}</span>
        </label>
      ))}
      {help && <p class="help" id={id}>{help}</p>}
      {message && <p class="failure" role="alert">{message}</p>}
    </fieldset>
  );
}
