// Questions before something is lost for good.

import { text } from "../../text";
import { ask } from "../../ui/dialog";
import { Field } from "../../ui/form";

export interface Confirmation {
  title: string;
  says: string;
  action: string;
  /** The name that the person types first, where much goes. */
  name?: string;
  /** False where nothing is lost. */
  danger?: boolean;
  send: () => Promise<unknown>;
}

/** Asks before an act, and says what is lost by it. */
export function confirm({ title, says, action, name, danger = true, send }: Confirmation): void {
  ask({
    title,
    action,
    cancel: text.cancel,
    danger,
    fields: (
      <>
        <p>{says}</p>
        {name && <p class="typed" dir="auto">{name}</p>}
        {name && <Field label={text.people.typeName} name="confirmation" required />}
      </>
    ),
    send: async (form) => {
      if (name && String(form.get("confirmation")).trim() !== name.trim()) throw new Error(text.people.otherName);
      await send();
    },
  });
}
