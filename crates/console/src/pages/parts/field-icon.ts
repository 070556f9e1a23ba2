// The icons of custom fields, by their types.

import type { FieldType } from "../../api/planning/custom-fields";

const ICONS: Record<FieldType, string> = { text: "page", number: "ruler", date: "calendar", choice: "done",
  choices: "checklist", user: "person", url: "relation" };

export const fieldIcon = (type: FieldType) => ICONS[type];
