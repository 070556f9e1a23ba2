// Menus that choose the value of a custom field: an option, several of them, or a person.

import { readProjectMembers } from "../../../api/planning/cards";
import type { CustomField, FieldOption, FieldValue } from "../../../api/planning/custom-fields";
import { chosenOf, optionsFor, withOption } from "../../../model/planning/custom-fields";
import { text } from "../../../text";
import { Avatar } from "../../../ui/avatar";
import { Icon } from "../../../ui/icon";
import { openMenu, type MenuEntry } from "../../../ui/menu-state";

/** Choices from which on the menu has a field to find one. */
const MANY = 8;

/** A value that is chosen, wherever it is shown. */
export interface PickedValue {
  field: CustomField;
  value: () => FieldValue | undefined;
  set: (value: FieldValue | null) => unknown;
}

/** Opens the menu of a field whose values are chosen. */
export async function pickValue(anchor: Element, picked: PickedValue): Promise<void> {
  if (picked.field.type === "user") return await pickPerson(anchor, picked);
  const { field, value, set } = picked;
  const isSeveral = field.type === "choices";
  const run = (id: string, has: boolean) => set(isSeveral ? withOption(field, value(), id, !has) : id);
  const entry = ({ id, name, is_archived: isArchived }: FieldOption): MenuEntry => {
    const has = chosenOf(value()).includes(id);
    return { name: isArchived ? text.fields.archivedOne(name) : name, checked: has,
      run: () => { if (isSeveral || !has) void run(id, has); } };
  };
  openMenu(anchor, {
    label: field.name, empty: text.fields.noOptions, stays: isSeveral,
    ...(field.options.length > MANY ? { find: text.fields.findOption } : {}),
    entries: () => [...optionsFor(field, value()).map(entry), ...clearing(picked)],
  });
}

async function pickPerson(anchor: Element, picked: PickedValue): Promise<void> {
  const { field, value, set } = picked;
  const members = await readProjectMembers(field.project_id);
  openMenu(anchor, {
    label: field.name, find: text.card.findPerson, empty: text.card.nobody,
    entries: () => [...members.map(({ userId, name }): MenuEntry => ({
      name, lead: <Avatar name={name} of={userId} decorative />,
      checked: value() === userId, run: () => { if (value() !== userId) void set(userId); } })), ...clearing(picked)],
  });
}

/** The entry that clears the value, where there is one that may be cleared. */
function clearing({ field, value, set }: PickedValue): MenuEntry[] {
  if (value() === undefined || field.is_required) return [];
  return [{ name: text.fields.clear, part: "none", lead: <Icon name="close" />, run: () => set(null) }];
}
