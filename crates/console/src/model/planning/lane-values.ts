// The values that a card has in another lane: the lane's value in place of that of the lane which it leaves.

import type { BoardCard } from "../../api/planning/boards";
import type { FieldValue, FieldValues } from "../../api/planning/custom-fields";
import { text } from "../../text";
import { PRIORITIES } from "./card-kinds";
import { chosenOf, hasOptions, withOption } from "./custom-fields";
import { fieldIn, type FieldColumn } from "./field-columns";
import type { Lane, LaneKind } from "./lanes";
import { isEqual } from "../equal";

/** Values of a card that differ from before. */
export type LaneValues = Partial<Pick<BoardCard, "assignees" | "tags" | "priority" | "parent_id" | "fields">>;
export type BoardTag = BoardCard["tags"][number];

/** A step of a card from one lane to another. */
export interface LaneStep {
  kind: LaneKind;
  from: Pick<Lane, "id" | "name">;
  to: Pick<Lane, "id" | "name" | "isClosed">;
  /** The custom field of the lanes. */
  column?: FieldColumn | undefined;
  /** The tag of the new lane in the card's project. */
  tag?: BoardTag | undefined;
  /** The card whose sub-cards stand in the new lane. */
  parent?: Pick<BoardCard, "id" | "project_id"> | undefined;
}

/** The values of a card after a step, or why it can't have them. Without a value, the lane takes all away. */
export function valuesAfter(card: BoardCard, step: LaneStep): LaneValues | string {
  const { kind, from, to, column, tag } = step;
  if (column) return fieldAfter(card, column, step);
  switch (kind) {
    case "assignees":
      return { assignees: replaced(card.assignees, ({ id }) => id === from.id, to.id ? { id: to.id,
        display_name: to.name } : null) };
    case "tags":
      if (to.id && !tag) return text.cards.noTag;
      return { tags: replaced(card.tags, ({ name }) => name === from.id, tag ?? null) };
    case "parent": return parentAfter(card, step);
    default: return { priority: PRIORITIES.find((one) => one === to.id) ?? "none" };
  }
}

/** The values of a card that may have changed since, with the step from `before` to `after` taken back. */
export function valuesBefore(now: BoardCard, before: LaneValues, after: LaneValues): LaneValues {
  const { assignees, tags, fields, ...others } = before;
  return {
    ...others,
    ...(assignees ? { assignees: restored(now.assignees, assignees, after.assignees ?? []) } : {}),
    ...(tags ? { tags: restored(now.tags, tags, after.tags ?? []) } : {}),
    ...(fields ? { fields: fieldsBefore(now.fields, fields, after.fields ?? {}) } : {}),
  };
}

/** The list with another member in place of one; without another, empty. */
function replaced<One extends { id: string }>(all: readonly One[], isLeft: (one: One) => boolean, next: One | null) {
  if (!next) return [];
  const others = all.filter((one) => !isLeft(one));
  return others.some(({ id }) => id === next.id) ? others : [...others, next];
}

/** The list without what came between `before` and `after`, and with what went. */
function restored<One extends { id: string }>(now: readonly One[], before: readonly One[], after: readonly One[]) {
  const has = (list: readonly One[], { id }: One) => list.some((one) => one.id === id);
  const kept = now.filter((one) => has(before, one) || !has(after, one));
  return [...kept, ...before.filter((one) => !has(kept, one) && !has(after, one))];
}

/** The values with those that differ between `before` and `after` as they were. */
function fieldsBefore(now: FieldValues, before: FieldValues, after: FieldValues): FieldValues {
  const isChanged = (id: string) => !isEqual(before[id], after[id]);
  const kept = Object.entries(now).filter(([id]) => !isChanged(id));
  return Object.fromEntries([...kept, ...Object.entries(before).filter(([id]) => isChanged(id))]);
}

function parentAfter(card: BoardCard, { to, parent }: LaneStep): LaneValues | string {
  if (to.isClosed) return text.lanes.severalParents;
  if (to.id === card.id) return text.lanes.ownParent;
  if (parent && parent.project_id !== card.project_id) return text.lanes.otherProject;
  return { parent_id: to.id || null };
}

function fieldAfter(card: BoardCard, column: FieldColumn, { from, to }: LaneStep): LaneValues | string {
  const field = fieldIn(column, card.project_id);
  if (!field) return text.fields.notIn(column.name);
  const optionOf = (lane: string) => {
    const ids = column.options.find((option) => option.ids.has(lane))?.ids;
    return field.options.find(({ id }) => ids?.has(id))?.id;
  };
  const [left, taken] = hasOptions(field.type) ? [optionOf(from.id), optionOf(to.id)] : [from.id, to.id];
  if (to.id && !taken) return text.fields.noOption(column.name, to.name);
  const { [field.id]: value, ...others } = card.fields;
  let next: FieldValue | null = taken || null;
  if (taken && field.type === "choices") {
    const rest = left ? withOption(field, value, left, false) ?? undefined : value;
    next = chosenOf(rest).includes(taken) ? rest ?? null : withOption(field, rest, taken, true);
  }
  return { fields: next === null ? others : { ...others, [field.id]: next } };
}
