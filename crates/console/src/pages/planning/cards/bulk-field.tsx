// The dialog that sets or clears a custom field of the selected cards.

import type { CustomField } from "../../../api/planning/custom-fields";
import { tellFailure } from "../../../model/messages";
import type { FieldColumn } from "../../../model/planning/field-columns";
import { inputsOf } from "../../../model/planning/required-fields";
import { readTeamPeople } from "../../../model/planning/team-people";
import { text } from "../../../text";
import { ask } from "../../../ui/dialog";
import { ValueInput } from "../../parts/value-input";
import type { TableView } from "./view";

/** The column as a field: its options are those of all projects. */
function fieldOf({ fields, options }: FieldColumn): CustomField | undefined {
  const [first] = fields;
  return first && { ...first, options: options.map(({ name, ids, isArchived }) =>
    ({ id: [...ids][0] ?? "", name, is_archived: isArchived })) };
}

/** Asks for the value of a column's field. Without one, the field is cleared. */
export async function askField({ table: { board }, bulkFields }: TableView, column: FieldColumn,
  ids: readonly string[]): Promise<void> {
  const field = fieldOf(column);
  if (!field) return;
  const people = field.type === "user" ? await readTeamPeople(board.path) : [];
  ask({
    title: text.fields.setsOf(column.name, text.cards.some(ids.length)), action: text.fields.sets, cancel: text.cancel,
    fields: <>
      <ValueInput field={field} people={people.map(({ id, name }) => ({ userId: id, name }))} required={false} />
      <p class="help">{text.fields.setsSay}</p>
    </>,
    async send(form) {
      const inputs = inputsOf([field], (id) => form.getAll(`fields.${id}`).map(String));
      // The dialog closes; refusals stand on the rows.
      void bulkFields.set(ids, column, inputs[field.id] ?? null).catch(tellFailure);
    },
  });
}
