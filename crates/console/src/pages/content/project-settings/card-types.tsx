// The types of cards that a project defines, and the dialog that makes or changes one.

import type { CardTypeDefinition } from "../../../api/planning/card-types";
import type { ProjectRole } from "../../../api/content/projects";
import { newKey } from "../../../api/persist";
import { typeName } from "../../../model/planning/card-kinds";
import { changesOfType, newCardType, typedCardType, type ProjectTypes } from "../../../model/planning/project-types";
import { text } from "../../../text";
import { Button } from "../../../ui/button";
import { ask } from "../../../ui/dialog";
import { Entries, Entry } from "../../../ui/entries";
import { Field } from "../../../ui/form";
import { Icon } from "../../../ui/icon";
import { MenuButton } from "../../../ui/menu";
import type { MenuEntry } from "../../../ui/menu-state";
import { confirm } from "../../parts/confirm";

interface CardTypesProps {
  types: ProjectTypes;
  /** The role of the caller. */
  role: ProjectRole;
}

export function CardTypes({ types, role }: CardTypesProps) {
  return (
    <section aria-labelledby="card-types">
      <div class="heading">
        <h2 id="card-types">{text.cardTypes.title}</h2>
        {role !== "viewer" && <Button name={text.cardTypes.create} icon="plus" onClick={() => askType(types)} />}
      </div>
      <p class="lead">{text.cardTypes.lead}</p>
      <Entries label={text.cardTypes.title} empty={text.cardTypes.empty}>
        {types.all.value.map((type) => <TypeEntry key={type.id} type={type} types={types} role={role} />)}
      </Entries>
    </section>
  );
}

function TypeEntry({ type, types, role }: CardTypesProps & { type: CardTypeDefinition }) {
  const name = typeName(type.name);
  const lines = type.checklist.length;
  const facts = [type.description.split("\n", 1)[0] ?? "", lines > 0 ? text.cardTypes.lines(lines) : ""];
  const actions = (): MenuEntry[] => [
    { name: text.fields.edit, lead: <Icon name="pencil" />, run: () => askType(types, type) },
    ...(role === "manager" ? [{ name: text.fields.delete, part: "end", danger: true, lead: <Icon name="bin" />,
      run: () => confirm({ title: text.fields.deletes(name), says: text.cardTypes.deleteSays,
        action: text.cardTypes.delete, send: () => types.remove(type) }) }] : []),
  ];
  return (
    <Entry name={name} icon="kind" below={facts.filter(Boolean).join(" · ") || text.cardTypes.noPreset}>
      {role !== "viewer" && (
        <MenuButton name={text.fields.actions(name)} icon="dots" kind="plain" quiet
          options={() => ({ label: text.fields.actions(name), entries: actions })} />
      )}
    </Entry>
  );
}

/** Asks for a new type, or for the changes of one. The page has a name and a description of its own, the project's. */
function askType(types: ProjectTypes, type?: CardTypeDefinition): void {
  const key = newKey();
  const begins = typedCardType(type);
  ask({
    title: type ? text.fields.edits(typeName(type.name)) : text.cardTypes.create,
    action: type ? text.settings.save : text.cardTypes.makes,
    cancel: text.cancel,
    fields: <>
      {type ? <p class="help">{text.cardTypes.nameStays}</p>
        : <Field label={text.cardTypes.name} name="type-name" help={text.cardTypes.nameHelp} required />}
      <Field label={text.cardTypes.description} name="type-description" value={begins.description} rows={5}
        help={text.cardTypes.descriptionHelp} />
      <Field label={text.cardTypes.checklist} name="type-lines" value={begins.lines} rows={5}
        help={text.cardTypes.checklistHelp} />
    </>,
    async send(form) {
      const said = (name: string) => String(form.get(name) ?? "");
      const typed = { name: said("type-name"), description: said("type-description"), lines: said("type-lines") };
      if (!type) return await types.create(newCardType(typed), key);
      const changes = changesOfType(type, typed);
      if (changes) await types.change(type, changes);
    },
  });
}
