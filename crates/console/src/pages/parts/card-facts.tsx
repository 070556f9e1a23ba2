// The facts beside or below a card's name in a list: its marks, tags, effort, due day and people.

import type { BoardCard } from "../../api/planning/boards";
import { TASK } from "../../model/planning/card-kinds";
import { isLate } from "../../model/planning/due";
import type { ShownValue } from "../../model/planning/shown-fields";
import { text } from "../../text";
import { Avatar } from "../../ui/avatar";
import { Dot } from "../../ui/icon";
import { Day } from "../../ui/time";
import { BlockedMark, ChecklistMark, PriorityMark, TypeMark } from "./card-marks";

type Facts = Pick<BoardCard,
  "tags" | "effort" | "deadline" | "assignees" | "is_open" | "priority" | "type" | "is_blocked" | "checklist">;

/** `day` is the one on which a due day is late; today unless given. */
export function CardFacts({ card, day, values = [] }: { card: Facts; day?: string; values?: readonly ShownValue[] }) {
  const { tags, effort, deadline, assignees, priority, type, checklist } = card;
  if (isBare(card) && values.length === 0) return null;
  return (
    <span class="card-facts">
      <BlockedMark card={card} />
      <PriorityMark priority={priority} />
      <TypeMark type={type} />
      {tags.map(({ id, name, color }) => (
        <span key={id} class="tag"><Dot color={color} /><span dir="auto">{name}</span></span>
      ))}
      {effort > 0 && <span class="effort" title={text.board.effort}>{effort}</span>}
      {values.map(({ key, name, said }) => (
        <span key={key} class="tag" title={`${name}: ${said}`}>
          <span class="unseen">{name}: </span><span dir="auto">{said}</span>
        </span>
      ))}
      <ChecklistMark checklist={checklist} />
      {deadline && <Day iso={deadline} late={isLate(card, day)} />}
      {assignees.length > 0 && (
        <span class="marks">
          {assignees.map(({ id, display_name: name }) => <Avatar key={id} name={name} of={id} />)}
        </span>
      )}
    </span>
  );
}

/** True for a card with nothing to show but its name. */
function isBare({ tags, effort, deadline, assignees, is_open, priority, type, is_blocked, checklist }: Facts): boolean {
  return tags.length === 0 && effort === 0 && !deadline && assignees.length === 0 && priority === "none"
    && type === TASK && !(is_blocked && is_open) && checklist.total === 0;
}
