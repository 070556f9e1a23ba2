// The input of a form for the value of a custom field.

import type { ProjectMember } from "../../api/planning/cards";
import type { CustomField, FieldValue } from "../../api/planning/custom-fields";
import { chosenOf, optionsFor, typedOf } from "../../model/planning/custom-fields";
import { text } from "../../text";
import { Checks } from "../../ui/checks";
import { Field } from "../../ui/form";
import { Select } from "../../ui/picker";
import { DateField } from "./date-field";

/** Choices from which on their menu has a field to find one. */
const MANY = 8;

interface ValueInputProps {
  field: CustomField;
  people: readonly Pick<ProjectMember, "userId" | "name">[];
  /** The present value. */
  value?: FieldValue | undefined;
  required: boolean;
}

/** The input, named as a request names its field. */
export function ValueInput({ field, people, value, required }: ValueInputProps) {
  const { id, name, unit, description } = field;
  const label = unit ? `${name} (${unit})` : name;
  const shared = { label, name: `fields.${id}`, ...(description ? { help: description } : {}) };
  const typed = { ...shared, value: typedOf(value), required };
  const options = optionsFor(field, value).map((option) => ({ value: option.id, name: option.name }));
  const persons = people.map(({ userId, name: display }) => ({ value: userId, name: display }));
  const [chosen = ""] = chosenOf(value);
  switch (field.type) {
    case "number": return <Field {...typed} type="number" step="any" />;
    case "date": return <DateField {...typed} />;
    case "choices": return <Checks {...shared} choices={options} ticked={chosenOf(value)} />;
    case "choice": return <Chooser {...shared} chosen={chosen} choices={options} find={text.fields.findOption} />;
    case "user": return <Chooser {...shared} chosen={chosen} choices={persons} find={text.card.findPerson} />;
    case "url": return <Field {...typed} type="url" />;
    default: return <Field {...typed} />;
  }
}

interface ChooserProps {
  label: string;
  name: string;
  help?: string;
  chosen: string;
  choices: readonly { value: string; name: string }[];
  find: string;
}

/** A choice of which nothing may be chosen yet: a person decides, and not the order of the options. */
function Chooser({ choices, find, chosen, ...shared }: ChooserProps) {
  const isKnown = chosen === "" || choices.some(({ value }) => value === chosen);
  const unknown = isKnown ? [] : [{ value: chosen, name: chosen }];
  const all = [{ value: "", name: text.fields.choose }, ...unknown, ...choices];
  return <Select {...shared} value={chosen} choices={all} {...(choices.length > MANY ? { find } : {})} />;
}
