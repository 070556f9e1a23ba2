// Making a card by its name, and by the fields that its project requires.

import { readProjectMembers, type ProjectMember } from "../../api/cards";
import type { CustomField, NewCardFields } from "../../api/custom-fields";
import { optionsFor } from "../../model/planning/custom-fields";
import { inputsOf, lacksFields, readRequired } from "../../model/planning/required-fields";
import { text } from "../../text";
import { Checks } from "../../ui/checks";
import { ask } from "../../ui/dialog";
import { Field } from "../../ui/form";
import { Select } from "../../ui/picker";
import { DateField } from "./date-field";

type Make<Made> = (card: NewCardFields, key: string) => Promise<Made>;

/** Choices from which on their menu has a field to find one. */
const MANY = 8;

/**
 * Makes a card of a name. A project may require fields: then a dialog asks for them. A person who closes it gets the
 * refusal, so that the name stays where they typed it.
 */
export async function makeCard<Made>(project: string, name: string, key: string, make: Make<Made>): Promise<Made> {
  try {
    return await make({ name }, key);
  } catch (error) {
    if (!lacksFields(error)) throw error;
    const fields = await readRequired(project);
    const people = fields.some(({ type }) => type === "user") ? await readProjectMembers(project) : [];
    return await new Promise((resolve, reject) => ask({
      title: text.fields.newCard, action: text.board.adds, cancel: text.cancel,
      fields: <>
        <Field label={text.board.name} name="new-card-name" value={name} required />
        {fields.map((field) => <ValueInput key={field.id} field={field} people={people} />)}
      </>,
      async send(form) {
        const read = (id: string) => form.getAll(`fields.${id}`).map(String);
        resolve(await make({ name: String(form.get("new-card-name")), fields: inputsOf(fields, read) }, key));
      },
      // Once the card is made, this rejects nothing.
      closed: () => reject(error as Error),
    }));
  }
}

/** The input of a form for a value, named as a request names its field. */
function ValueInput({ field, people }: { field: CustomField; people: readonly ProjectMember[] }) {
  const { id, name, unit, description } = field;
  const shared = { label: unit ? `${name} (${unit})` : name, name: `fields.${id}`,
    ...(description ? { help: description } : {}) };
  const options = optionsFor(field, undefined).map((option) => ({ value: option.id, name: option.name }));
  const persons = people.map(({ userId, name: display }) => ({ value: userId, name: display }));
  switch (field.type) {
    case "number": return <Field {...shared} type="number" step="any" required />;
    case "date": return <DateField {...shared} required />;
    case "choices": return <Checks {...shared} choices={options} ticked={[]} />;
    case "choice": return <Chooser {...shared} choices={options} find={text.fields.findOption} />;
    case "user": return <Chooser {...shared} choices={persons} find={text.card.findPerson} />;
    case "url": return <Field {...shared} type="url" required />;
    default: return <Field {...shared} required />;
  }
}

interface ChooserProps {
  label: string;
  name: string;
  help?: string;
  choices: readonly { value: string; name: string }[];
  find: string;
}

/** A choice that nothing is chosen of yet: a person decides, and not the order of the options. */
function Chooser({ choices, find, ...shared }: ChooserProps) {
  return <Select {...shared} value="" choices={[{ value: "", name: text.fields.choose }, ...choices]}
    {...(choices.length > MANY ? { find } : {})} />;
}
