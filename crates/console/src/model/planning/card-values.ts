// The values of an open card's custom fields, and changes of them.

import type { CustomField, FieldValue } from "../../api/planning/custom-fields";
import { reasonOf } from "../../api/errors";
import { text } from "../../text";
import { inputOf, namedRefusal, typedOf } from "./custom-fields";
import { FieldDraft } from "./field-draft";
import { tellRefusal } from "../messages";
import type { OpenCard } from "./open-card";

/** Sets the value of a field; null clears it. A refusal is thrown, for it is shown at the field. */
async function setValue(card: OpenCard, id: string, value: FieldValue | null, head?: string): Promise<void> {
  try {
    await card.change({ fields: { [id]: value } }, head);
  } catch (error) {
    throw namedRefusal(error, card.around.peek().fields);
  }
}

/** Sets a value that is chosen and not typed. A refusal is told. */
export async function chooseValue(card: OpenCard, id: string, value: FieldValue | null): Promise<void> {
  await setValue(card, id, value).catch((error: unknown) =>
    tellRefusal(text.card.unchanged(card.now.peek().card.name, reasonOf(error)), error));
}

/** The typed text of a field. */
export function valueDraft(card: OpenCard, { id, type }: Pick<CustomField, "id" | "type">): FieldDraft {
  return new FieldDraft({
    name: `fields.${id}`,
    head: () => card.head,
    refresh: () => card.refresh(),
    read: () => typedOf(card.now.value.card.fields[id]),
    save: async (typed, head) => setValue(card, id, inputOf(type, typed), head),
  });
}
