// The custom fields of an object among its properties, edited in a dialog with the input of each type.

import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { readProjectMembers, type ProjectMember } from "../../../api/planning/cards";
import { readFields, type CustomField } from "../../../api/planning/custom-fields";
import type { ProjectObject } from "../../../api/content/objects";
import { fieldsOfObject, misfitOf, valuesOf, withValues } from "../../../model/content/object-fields";
import { isActive, namedRefusal, sayValue } from "../../../model/planning/custom-fields";
import { inputsOf } from "../../../model/planning/required-fields";
import { text } from "../../../text";
import { Button } from "../../../ui/button";
import { ask } from "../../../ui/dialog";
import { Icon } from "../../../ui/icon";
import { dayOf } from "../../../ui/time";
import { ValueInput } from "../../parts/value-input";
import type { FilesView } from "./view";

/** The fields of the project's objects with the people in their values. Readers who may not list them get none. */
export interface ObjectFields {
  fields: readonly CustomField[];
  people: readonly ProjectMember[];
}

const NONE: ObjectFields = { fields: [], people: [] };

export function useObjectFields({ files: { place } }: FilesView): ObjectFields {
  const found = useSignal(NONE);
  useEffect(() => {
    let isOver = false;
    void readObjectFields(place).then((read) => { if (!isOver) found.value = read; }, () => {});
    return () => { isOver = true; };
  }, [place]);
  return found.value;
}

async function readObjectFields(place: string): Promise<ObjectFields> {
  const [project = ""] = place.split("--");
  const fields = (await readFields(project)).filter(({ applies_to: to }) => to !== "cards");
  const people = fields.some(({ type }) => type === "user") ? await readProjectMembers(project).catch(() => []) : [];
  return { fields, people };
}

interface FieldsProps {
  object: ProjectObject;
  all: ObjectFields;
  view: FilesView;
}

export function OwnFields({ object, all, view }: FieldsProps) {
  const fields = fieldsOfObject(all.fields, object.type, object.data);
  if (fields.length === 0) return null;
  const values = valuesOf(object.data, fields);
  const person = (id: string) => all.people.find(({ userId }) => userId === id)?.name ?? id;
  const said = (field: CustomField) => {
    const value = values[field.id];
    return value === undefined ? text.fields.none : sayValue(field, value, { person, day: dayOf });
  };
  return (
    <section class="properties" aria-labelledby="own-fields">
      <div class="heading">
        <h3 id="own-fields">{text.fields.ofObject}</h3>
        <Button name={text.fields.editsValues} icon="pencil" kind="plain"
          onClick={() => askValues({ object, all, view }, fields.filter(isActive))} />
      </div>
      <dl class="facts">
        {fields.map((field) => (
          <Row key={field.id} value={said(field)} misfit={misfitOf(field, values[field.id])}
            name={isActive(field) ? field.name : text.fields.archivedOne(field.name)} />
        ))}
      </dl>
    </section>
  );
}

const Row = ({ name, value, misfit }: { name: string; value: string; misfit: string }) => (
  <>
    <dt dir="auto">{name}</dt>
    <dd dir="auto">{value}{misfit && <span class="misfit"><Icon name="warning" />{misfit}</span>}</dd>
  </>
);

/** Asks for the values of active fields. One that is emptied is cleared. */
function askValues({ object: { id, data }, all: { people }, view }: FieldsProps, fields: readonly CustomField[]): void {
  const values = valuesOf(data, fields);
  ask({
    title: text.fields.editsValues, action: text.files.saves, cancel: text.cancel,
    fields: <>
      {fields.map((field) => (
        <ValueInput key={field.id} field={field} people={people} value={values[field.id]}
          required={field.is_required && values[field.id] !== undefined} />
      ))}
    </>,
    async send(form) {
      const inputs = inputsOf(fields, (field) => form.getAll(`fields.${field}`).map(String));
      await view.files.setData(id, data, withValues(data, fields, inputs))
        .catch((error: unknown) => { throw namedRefusal(error, fields); });
    },
  });
}
