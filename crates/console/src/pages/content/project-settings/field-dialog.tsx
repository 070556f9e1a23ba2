// The dialog that makes a custom field or changes it.

import { useSignal } from "@preact/signals";
import type { CustomField, FieldType } from "../../../api/planning/custom-fields";
import { newKey } from "../../../api/persist";
import { FIELD_TYPES, hasOptions } from "../../../model/planning/custom-fields";
import { changesOfField, hasDefault, newField, optionRefusal, typedField, type TypedField }
  from "../../../model/planning/field-form";
import { OptionDrafts } from "../../../model/planning/option-drafts";
import type { ProjectFields } from "../../../model/planning/project-fields";
import { text } from "../../../text";
import { ask } from "../../../ui/dialog";
import { Field } from "../../../ui/form";
import { Icon } from "../../../ui/icon";
import { Select } from "../../../ui/picker";
import { DateField } from "../../parts/date-field";
import { fieldIcon } from "../../parts/field-icon";
import { OptionsEditor } from "./options-editor";

/** Asks for a new field, or for the changes of one. */
export function askField(fields: ProjectFields, field?: CustomField): void {
  const key = newKey();
  const options = new OptionDrafts(field?.options);
  ask({
    title: field ? text.fields.edits(field.name) : text.fields.create,
    action: field ? text.settings.save : text.fields.makes,
    cancel: text.cancel,
    fields: <FieldForm field={field} options={options} />,
    async send(form) {
      const typed = readForm(form);
      const type = field?.type ?? form.get("type") as FieldType;
      try {
        if (!field) return await fields.create(newField(type, typed, options), key);
        const changes = changesOfField(field, typed, options);
        if (changes) await fields.change(field, changes);
      } catch (error) {
        throw optionRefusal(error, options);
      }
    },
  });
}

/** The page has a name and a description of its own, the project's. */
function readForm(form: FormData): TypedField {
  const said = (name: string) => String(form.get(name) ?? "");
  return { name: said("field-name"), description: said("field-help"), unit: said("unit"), minimum: said("minimum"),
    maximum: said("maximum"), default: said("defaultValue"), isRequired: form.has("isRequired"),
    isShown: form.has("isShown"), objectType: said("objectType"),
    appliesTo: said("appliesTo") as TypedField["appliesTo"] };
}

function FieldForm({ field, options }: { field: CustomField | undefined; options: OptionDrafts }) {
  const type = useSignal<FieldType>(field?.type ?? "text");
  const { name, description, isRequired, isShown } = typedField(field);
  return (
    <>
      <Field label={text.fields.name} name="field-name" value={name} required />
      {field ? <p class="help"><strong>{text.fields.types[field.type]}</strong>. {text.fields.typeStays}</p> : (
        <Select label={text.fields.type} name="type" value={type.value} choices={FIELD_TYPES.map((one) => ({
          value: one, name: text.fields.types[one], lead: <Icon name={fieldIcon(one)} /> }))}
          onChange={(chosen) => { type.value = chosen as FieldType; }} />
      )}
      <Field label={text.fields.help} name="field-help" value={description} help={text.fields.helpHelp} rows={2} />
      {type.value === "number" && <NumberParts typed={typedField(field)} />}
      {hasOptions(type.value) && <OptionsEditor options={options} />}
      {hasDefault(type.value) && <Default key={type.value} type={type.value} value={typedField(field).default}
        options={options} />}
      <Scope typed={typedField(field)} />
      <Check name="isRequired" label={text.fields.isRequired} help={text.fields.requiredHelp} checked={isRequired} />
      <Check name="isShown" label={text.fields.isShown} help={text.fields.shownHelp} checked={isShown} />
    </>
  );
}

function Check({ name, label, help, checked }: { name: string; label: string; help: string; checked: boolean }) {
  return (
    <div class="field">
      <label class="check">
        <input type="checkbox" name={name} defaultChecked={checked} aria-describedby={`${name}-help`} />
        <span>{label}</span>
      </label>
      <p class="help" id={`${name}-help`}>{help}</p>
    </div>
  );
}

/** The cards or objects that have values: the choice can be widened, and never narrowed. */
function Scope({ typed }: { typed: TypedField }) {
  const scope = useSignal(typed.appliesTo);
  return (
    <>
      <Select label={text.fields.appliesTo} name="appliesTo" value={scope.value}
        choices={(["cards", "objects", "both"] as const).map((value) => ({ value, name: text.fields.scopes[value] }))}
        onChange={(chosen) => { scope.value = chosen as TypedField["appliesTo"]; }} />
      {scope.value !== "cards" && (
        <Field label={text.fields.objectType} name="objectType" value={typed.objectType}
          help={text.fields.objectTypeHelp} />
      )}
    </>
  );
}

function NumberParts({ typed: { unit, minimum, maximum } }: { typed: TypedField }) {
  return (
    <>
      <Field label={text.fields.unit} name="unit" value={unit} help={text.fields.unitHelp} />
      <div class="field-bounds">
        <Field label={text.fields.minimum} name="minimum" type="number" step="any" value={minimum} />
        <Field label={text.fields.maximum} name="maximum" type="number" step="any" value={maximum} />
      </div>
    </>
  );
}

/** The value of new cards for which none is given. */
function Default({ type, value, options }: { type: FieldType; value: string; options: OptionDrafts }) {
  const label = text.fields.default;
  switch (type) {
    case "number": return <Field label={label} name="defaultValue" type="number" step="any" value={value} />;
    case "date": return <DateField label={label} name="defaultValue" value={value} />;
    case "choice": return <Select label={label} name="defaultValue" value={value} choices={[
      { value: "", name: text.fields.noDefault },
      ...options.rows.value.filter((row) => row.name.trim() && !row.isArchived).map((row) =>
        ({ value: row.key, name: row.name }))]} />;
    default: return <Field label={label} name="defaultValue" type={type === "url" ? "url" : "text"} value={value} />;
  }
}
