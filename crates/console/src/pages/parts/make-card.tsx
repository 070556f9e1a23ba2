// Making a card by its name, and by the fields that its project requires.

import { readProjectMembers } from "../../api/planning/cards";
import type { NewCardFields } from "../../api/planning/custom-fields";
import { inputsOf, lacksFields, readRequired } from "../../model/planning/required-fields";
import { text } from "../../text";
import { ask } from "../../ui/dialog";
import { Field } from "../../ui/form";
import { ValueInput } from "./value-input";

type Make<Made> = (card: NewCardFields, key: string) => Promise<Made>;

/**
 * Makes a card of a name. A project may require fields: then a dialog asks for them. A person who closes it gets the
 * refusal, so that the name stays where they typed it.
 */
export async function makeCard<Made>(
  project: string, { name, ...others }: NewCardFields, key: string, make: Make<Made>,
): Promise<Made> {
  try {
    return await make({ ...others, name }, key);
  } catch (error) {
    if (!lacksFields(error)) throw error;
    const fields = await readRequired(project);
    const people = fields.some(({ type }) => type === "user") ? await readProjectMembers(project) : [];
    return await new Promise((resolve, reject) => ask({
      title: text.fields.newCard, action: text.board.adds, cancel: text.cancel,
      fields: <>
        <Field label={text.board.name} name="new-card-name" value={name} required />
        {fields.map((field) => <ValueInput key={field.id} field={field} people={people} required />)}
      </>,
      async send(form) {
        const read = (id: string) => form.getAll(`fields.${id}`).map(String);
        const card = { ...others, name: String(form.get("new-card-name")), fields: inputsOf(fields, read) };
        resolve(await make(card, key));
      },
      // Once the card is made, this rejects nothing.
      closed: () => reject(error as Error),
    }));
  }
}
