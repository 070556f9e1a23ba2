// The custom fields of a project's cards.

import type { CustomField } from "../../../api/planning/custom-fields";
import type { ProjectRole } from "../../../api/content/projects";
import { hasOptions, isActive, sayNumber } from "../../../model/planning/custom-fields";
import type { ProjectFields } from "../../../model/planning/project-fields";
import { text } from "../../../text";
import { Button } from "../../../ui/button";
import { Entries, Entry } from "../../../ui/entries";
import { Icon } from "../../../ui/icon";
import { MenuButton } from "../../../ui/menu";
import type { MenuEntry } from "../../../ui/menu-state";
import { confirm } from "../../parts/confirm";
import { fieldIcon } from "../../parts/field-icon";
import { askField } from "./field-dialog";

interface FieldsProps {
  fields: ProjectFields;
  /** The role of the caller. */
  role: ProjectRole;
}

export function Fields({ fields, role }: FieldsProps) {
  return (
    <section aria-labelledby="fields">
      <div class="heading">
        <h2 id="fields">{text.fields.title}</h2>
        {role !== "viewer" && <Button name={text.fields.create} icon="plus" onClick={() => askField(fields)} />}
      </div>
      <p class="lead">{text.fields.lead}</p>
      <Entries label={text.fields.title} empty={text.fields.empty}>
        {fields.all.value.map((field) => <FieldEntry key={field.id} field={field} fields={fields} role={role} />)}
      </Entries>
    </section>
  );
}

function FieldEntry({ field, fields, role }: FieldsProps & { field: CustomField }) {
  const { name, type } = field;
  return (
    <Entry name={name} icon={fieldIcon(type)} below={factsOf(field).join(" · ")}
      note={isActive(field) ? undefined : text.fields.archived}>
      {role !== "viewer" && (
        <MenuButton name={text.fields.actions(name)} icon="dots" kind="plain" quiet
          options={() => ({ label: text.fields.actions(name), entries: () => actionsOf(field, fields, role) })} />
      )}
    </Entry>
  );
}

/** The facts of a field: its type, options or bounds, and if new cards need it. */
function factsOf({ type, unit, options, minimum, maximum, is_required: isRequired }: CustomField): string[] {
  const [least, most] = [minimum, maximum].map((bound) => (bound === null ? "" : sayNumber(bound, unit)));
  const bounds = least && most ? text.fields.between(least, most) : least ? text.fields.from(least)
    : most ? text.fields.to(most) : "";
  const named = options.filter(({ is_archived: isArchived }) => !isArchived).map((option) => option.name).join(", ");
  return [text.fields.types[type], hasOptions(type) ? named : bounds || unit, isRequired ? text.fields.required : ""]
    .filter(Boolean);
}

function actionsOf(field: CustomField, fields: ProjectFields, role: ProjectRole): MenuEntry[] {
  const isUsed = isActive(field);
  const remove = () => confirm({ title: text.fields.deletes(field.name), says: text.fields.deleteSays,
    action: text.fields.deleteField, send: () => fields.remove(field) });
  return [
    { name: text.fields.edit, lead: <Icon name="pencil" />, run: () => askField(fields, field) },
    { name: isUsed ? text.fields.archive : text.fields.takeBack, lead: <Icon name={isUsed ? "hidden" : "visible"} />,
      run: () => fields.setStatus(field, isUsed ? "archived" : "active") },
    ...(role === "manager" ? [{ name: text.fields.delete, part: "end", danger: true, lead: <Icon name="bin" />,
      run: remove }] : []),
  ];
}
