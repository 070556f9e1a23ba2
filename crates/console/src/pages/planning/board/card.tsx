// A card of a board.

import type { BoardCard } from "../../../api/planning/boards";
import { nameOf } from "../../../model/planning/card-name";
import { text } from "../../../text";
import { isComposing } from "../../../ui/keys";
import { memo } from "../../../ui/memo";
import { MenuButton } from "../../../ui/menu";
import { useRovingItem } from "../../../ui/roving";
import { dayOf } from "../../../ui/time";
import { useComputed } from "@preact/signals";
import { cardMenu } from "./card-menu";
import { useCardDrag } from "./drag";
import { CardFacts } from "../../parts/card-facts";
import { CardKey } from "../../parts/card-marks";
import { isOpenCard, openCard } from "../../parts/card/side";
import { lifted } from "./touch";
import type { BoardView } from "./view";

const ARROWS: Record<string, { across: number; down: number }> = {
  ArrowUp: { across: 0, down: -1 },
  ArrowDown: { across: 0, down: 1 },
  ArrowLeft: { across: -1, down: 0 },
  ArrowRight: { across: 1, down: 0 },
};

export const Card = memo(({ card, view }: { card: BoardCard; view: BoardView }) => {
  const { board, lanes, focus } = view;
  const { ref, onFocus } = useRovingItem<HTMLAnchorElement>(focus, card.id);
  const isDragged = useCardDrag(ref, card);
  const isOpen = useComputed(() => isOpenCard(card));
  const isLifted = useComputed(() => lifted.value?.id === card.id);
  const hasArrived = useComputed(() => board.arrived.value.has(card.id));
  const onKey = (event: KeyboardEvent) => {
    const arrow = ARROWS[event.key];
    if (!arrow || isComposing(event) || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    if (event.shiftKey) return lanes.moveBy(card.id, arrow);
    const next = lanes.neighbour(card.id, arrow);
    if (next) focus.focus(next);
  };
  const onClick = (event: MouseEvent) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    openCard(card);
  };
  const kind = `card${card.is_open ? "" : " done"}${isDragged.value || isLifted.value ? " dragged" : ""}`;
  return (
    <div data-item={card.id} role="listitem" class={hasArrived.value ? "arrived" : undefined}>
      <a
        ref={ref}
        class={kind}
        href={`${view.href}?card=${nameOf(card)}`}
        data-card={card.id}
        aria-describedby="board-keys"
        aria-current={isOpen.value ? "true" : undefined}
        onFocus={onFocus}
        onKeyDown={onKey}
        onClick={onClick}
      >
        <CardKey of={card.key} />
        <span class="name" dir="auto">
          {card.name}
        </span>
        <CardFacts card={card} values={board.shownFields.of(card, dayOf)} />
      </a>
      <MenuButton
        name={text.card.actions(card.name)}
        icon="dots"
        kind="plain small card-more"
        quiet
        options={() => cardMenu(view, card.id)}
      />
    </div>
  );
});
