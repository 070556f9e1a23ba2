// The small marks of a card: its key, priority, type, blockers and checklist.

import type { BoardCard } from "../../api/planning/boards";
import { priorityName, TASK, typeName } from "../../model/planning/card-kinds";
import { text } from "../../text";
import { Icon } from "../../ui/icon";

/** The key of a card before its name; nothing until it has one. */
export function CardKey({ of }: { of: string | null | undefined }) {
  return of ? <span class="card-key">{of}</span> : null;
}

/** The key and the name of a card, or of another place without a key, in a row. */
export function CardTitle({ of, name }: { of: string | null | undefined; name: string }) {
  return <span class="card-title"><CardKey of={of} /><span class="name" dir="auto">{name}</span></span>;
}

/** The icon of a priority. Its bars, and the sign of an urgent one, tell levels apart without colour. */
export const PriorityIcon = ({ priority }: { priority: string }) => (
  <span class="priority" data-priority={priority}><Icon name={`priority-${priority}`} /></span>
);

/** The priority of a card, unless it has none. */
export function PriorityMark({ priority }: { priority: BoardCard["priority"] }) {
  if (priority === "none") return null;
  const name = text.priority.of(priorityName(priority));
  return <span role="img" aria-label={name} title={name}><PriorityIcon priority={priority} /></span>;
}

/** Types with an icon of their own. */
const PICTURED = new Set(["task", "bug", "change"]);

export const TypeIcon = ({ type }: { type: string }) => <Icon name={PICTURED.has(type) ? type : "kind"} />;

/** The type of a card, unless it is a task. Own types have no icon of their own, so their name stands beside it. */
export function TypeMark({ type }: { type: string }) {
  if (type === TASK) return null;
  const name = text.type.of(typeName(type));
  if (PICTURED.has(type)) {
    return <span class="type" role="img" aria-label={name} title={name}><TypeIcon type={type} /></span>;
  }
  return <span class="type tag" title={name}><TypeIcon type={type} /><span dir="auto">{type}</span></span>;
}

/** Says that an open card blocks this one. */
export function BlockedMark({ card }: { card: Pick<BoardCard, "is_blocked" | "is_open"> }) {
  if (!card.is_blocked || !card.is_open) return null;
  return (
    <span class="blocked" role="img" aria-label={text.card.blocked} title={text.card.blocked}>
      <Icon name="blocked" />
    </span>
  );
}

/** How many lines of the checklist are done. */
export function ChecklistMark({ checklist: { total, done } }: Pick<BoardCard, "checklist">) {
  if (total === 0) return null;
  const name = text.checklist.counted(done, total);
  return (
    <span class="checked" data-full={done === total ? "" : undefined} title={name}>
      <Icon name="checklist" />
      <span aria-hidden="true">{text.checklist.count(done, total)}</span>
      <span class="unseen">{name}</span>
    </span>
  );
}
