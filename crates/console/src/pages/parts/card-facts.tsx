// What stands beside a card's name in a list: tags, effort, due day and people.

import type { BoardCard } from "../../api/boards";
import { isLate } from "../../model/planning/due";
import { text } from "../../text";
import { Avatar } from "../../ui/avatar";
import { Dot } from "../../ui/icon";
import { Day } from "../../ui/time";

type Facts = Pick<BoardCard, "tags" | "effort" | "deadline" | "assignees" | "is_open">;

export function CardFacts({ card }: { card: Facts }) {
  const { tags, effort, deadline, assignees } = card;
  if (tags.length === 0 && effort === 0 && !deadline && assignees.length === 0) return null;
  return (
    <span class="card-facts">
      {tags.map(({ id, name, color }) => (
        <span key={id} class="tag"><Dot color={color} /><span dir="auto">{name}</span></span>
      ))}
      {effort > 0 && <span class="effort" title={text.board.effort}>{effort}</span>}
      {deadline && <Day iso={deadline} late={isLate(card)} />}
      {assignees.length > 0 && (
        <span class="marks">{assignees.map(({ id, display_name: name }) => <Avatar key={id} name={name} />)}</span>
      )}
    </span>
  );
}
