// A field whose Enter adds what is typed, and stays for the next: lines of a checklist, sub-cards.

import { useSignal } from "@preact/signals";
import { useLayoutEffect, useRef } from "preact/hooks";
import { reasonOf } from "../../../api/errors";
import { newKey } from "../../../api/persist";
import { isComposing } from "../../../ui/keys";

interface LineFieldProps {
  label: string;
  most: number;
  /** True if the field takes the focus. */
  isBegun: boolean;
  /** The field is left by Escape, or without a text. */
  end: () => void;
  add: (said: string, key: string) => Promise<unknown>;
}

export function LineField({ label, most, isBegun, end, add }: LineFieldProps) {
  const [said, failure] = [useSignal(""), useSignal("")];
  /** A line that was refused. Sent again, it is still the same one. */
  const refused = useRef({ said: "", key: "" });
  const input = useRef<HTMLInputElement>(null);
  useLayoutEffect(() => { if (isBegun) input.current?.focus(); }, [isBegun]);
  const send = async () => {
    const typed = said.peek().trim();
    if (typed === "") return;
    const key = refused.current.said === typed ? refused.current.key : newKey();
    [failure.value, said.value, refused.current] = ["", "", { said: "", key: "" }];
    try {
      await add(typed, key);
    } catch (error) {
      failure.value = reasonOf(error);
      // The next line may be begun already: both are kept.
      const rest = said.peek();
      said.value = rest === "" ? typed : `${typed} ${rest}`;
      refused.current = { said: typed, key };
    }
  };
  const onKey = (event: KeyboardEvent) => {
    if (isComposing(event)) return;
    if (event.key === "Enter") {
      event.preventDefault();
      void send();
    } else if (event.key === "Escape") {
      event.stopPropagation();
      said.value = "";
      input.current?.blur();
      end();
    }
  };
  return (
    <div class="line-field">
      <input ref={input} class="quiet-input" aria-label={label} placeholder={label} maxLength={most} dir="auto"
        autocomplete="off" value={said.value} onInput={(event) => { said.value = event.currentTarget.value; }}
        onKeyDown={onKey} onBlur={() => { if (said.peek().trim() === "") end(); }} />
      <p class="failure" role="alert">{failure.value}</p>
    </div>
  );
}
