// The operations of one request that make a card of one state to another.

import type { BoardCard } from "../../api/planning/boards";
import type { CardOperation } from "../../api/planning/cards";
import type { FieldInputs, FieldValues } from "../../api/planning/custom-fields";
import { isEqual } from "../equal";

/** The operations that make a card of one state to another. */
export function operationsOf(from: BoardCard, to: BoardCard): CardOperation[] {
  const cardId = to.id;
  const ids = (all: readonly { id: string }[]) => new Set(all.map(({ id }) => id));
  const [people, were, tags, had] = [ids(to.assignees), ids(from.assignees), ids(to.tags), ids(from.tags)];
  const values = inputsBetween(from.fields, to.fields);
  const fields = {
    ...(from.is_open === to.is_open ? {} : { isOpen: to.is_open }),
    ...(from.priority === to.priority ? {} : { priority: to.priority }),
    ...(from.type === to.type ? {} : { type: to.type }),
    ...(from.parent_id === to.parent_id ? {} : { parentId: to.parent_id }),
    ...(Object.keys(values).length === 0 ? {} : { fields: values }),
  };
  return [
    ...(Object.keys(fields).length === 0 ? [] : [{ op: "update" as const, cardId, ...fields }]),
    ...[...people].filter((id) => !were.has(id)).map((userId) => ({ op: "assign" as const, cardId, userId })),
    ...[...were].filter((id) => !people.has(id)).map((userId) => ({ op: "unassign" as const, cardId, userId })),
    ...[...tags].filter((id) => !had.has(id)).map((tagId) => ({ op: "tag" as const, cardId, tagId })),
    ...[...had].filter((id) => !tags.has(id)).map((tagId) => ({ op: "untag" as const, cardId, tagId })),
  ];
}

/** The new values of custom fields that differ; null for one that is gone. */
function inputsBetween(from: FieldValues, to: FieldValues): FieldInputs {
  const ids = new Set([...Object.keys(from), ...Object.keys(to)]);
  return Object.fromEntries([...ids].filter((id) => !isEqual(from[id], to[id])).map((id) => [id, to[id] ?? null]));
}
