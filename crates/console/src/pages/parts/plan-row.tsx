// A card as a row of a plan: selected, opened, dragged, and put into sprints by its menu.

import { useComputed } from "@preact/signals";
import { useRef } from "preact/hooks";
import { nameOf, type NamedCard } from "../../model/planning/card-name";
import type { PlanCard } from "../../model/planning/plan-cards";
import { text } from "../../text";
import { Dot, Icon } from "../../ui/icon";
import { memo } from "../../ui/memo";
import { MenuButton } from "../../ui/menu";
import type { MenuEntry, MenuOptions } from "../../ui/menu-state";
import { useRovingItem } from "../../ui/roving";
import { CardFacts } from "./card-facts";
import { CardKey } from "./card-marks";
import { isOpenCard, openCard } from "./card/side";
import { useRowDrag } from "./list-drag";
import type { PlanView } from "./plan-view";

interface PlanRowProps {
  card: PlanCard;
  view: PlanView;
  /** Shows a box that selects it. */
  selects?: boolean;
  /** Shows its column, where rows of several columns stand together. */
  showsColumn?: boolean;
}

export const PlanRow = memo(({ card, view, selects = false, showsColumn = false }: PlanRowProps) => {
  const { planning, focus } = view;
  const row = useRef<HTMLLIElement>(null);
  const { ref, onFocus } = useRovingItem<HTMLAnchorElement>(focus, card.id);
  const isDragged = useRowDrag(row, card.id, card.name);
  const isSelected = useComputed(() => planning.selected.value.has(card.id));
  const isOpen = useComputed(() => isOpenCard(card));
  const kind = `plan-row${isDragged.value ? " dragged" : ""}${card.is_open ? "" : " done"}`;
  return (
    <li ref={row} class={kind} data-item={card.id}>
      {selects && (
        <input type="checkbox" tabIndex={-1} aria-label={`${text.backlog.select}: ${card.name}`}
          checked={isSelected.value} onChange={() => planning.select(card.id)} />
      )}
      {showsColumn && <ColumnMark card={card} view={view} />}
      <CardKey of={card.key} />
      <a ref={ref} class="plan-card" href={`${view.here}?card=${nameOf(card)}`} data-card={card.id} draggable={false}
        dir="auto" aria-current={isOpen.value ? "true" : undefined} onFocus={onFocus}
        onClick={(event) => openHere(event, card)}>{card.name}</a>
      <CardFacts card={card} />
      <MenuButton name={text.card.actions(card.name)} icon="dots" kind="plain small row-more" quiet
        options={() => rowMenu(view, card.id)} />
    </li>
  );
});

/** Opens the card beside the list, unless another tab is wanted. */
export function openHere(event: MouseEvent, card: NamedCard): void {
  if (event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  openCard(card);
}

function ColumnMark({ card, view: { planning } }: { card: PlanCard; view: PlanView }) {
  const column = planning.columns.value.find(({ id }) => id === card.column);
  if (!column) return <Dot color="" />;
  const { name, color } = column;
  return <span class="column-mark" role="img" aria-label={name} title={name}><Dot color={color} /></span>;
}

/** Where a card, or the selected ones with it, can go. */
function rowMenu({ planning }: PlanView, id: string): MenuOptions {
  return {
    label: text.backlog.putInto,
    empty: text.backlog.noSprints,
    entries: () => {
      const card = planning.cards.value.find((one) => one.id === id);
      const put = (sprint: string | null) => () => planning.place(planning.subjects(id), { sprint });
      const sprints = planning.sprints.value.map((sprint): MenuEntry => ({
        name: sprint.name,
        lead: <Icon name="sprint" />,
        checked: sprint.id === card?.sprint_id,
        run: put(sprint.id),
      }));
      if (!card?.sprint_id) return sprints;
      return [...sprints, { name: text.backlog.takeOut, part: "out", lead: <Icon name="close" />, run: put(null) }];
    },
  };
}
