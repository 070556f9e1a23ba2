// The cards below a card with their progress, the field for another one, and the card above it.

import { useSignal } from "@preact/signals";
import type { ChildCard } from "../../../api/planning/card-relations";
import { tellFailure } from "../../../model/messages";
import type { CardFamily } from "../../../model/planning/card-family";
import { cardHref } from "../../../model/planning/card-name";
import type { OpenCard } from "../../../model/planning/open-card";
import { text } from "../../../text";
import { Button } from "../../../ui/button";
import { Icon } from "../../../ui/icon";
import { makeCard } from "../make-card";
import { CardKey, PriorityMark, TypeMark } from "../card-marks";
import { hrefOf, pickParent } from "./kind-pickers";
import { Add } from "./values";
import { LineField } from "./line-field";

const MOST_LETTERS = 255;

interface ChildrenProps {
  card: OpenCard;
  family: CardFamily;
  isBegun: boolean;
  end: () => void;
}

export function ChildrenSection({ card, family, isBegun, end }: ChildrenProps) {
  const isAdding = useSignal(false);
  const { total, closed, effort, closedEffort } = family.progress.value;
  const children = family.children.value;
  const deeper = total - children.length;
  const isOpen = isBegun || isAdding.value;
  const close = () => {
    isAdding.value = false;
    end();
  };
  const facts = [text.card.childrenDone(closed, total),
    ...(effort > 0 ? [text.card.childrenEffort(closedEffort, effort)] : [])];
  return (
    <section class="children" aria-labelledby="children">
      <div class="section-head">
        <h3 id="children">{text.card.children}</h3>
        {total > 0 && <span class="soft">{facts.join(" · ")}</span>}
        <Button name={text.card.addChild} icon="plus" kind="plain small" quiet
          onClick={() => { isAdding.value = true; }} />
      </div>
      {total > 0 && <progress max={total} value={closed} aria-label={facts[0]} />}
      <ul class="related" aria-labelledby="children">
        {children.map((child) => <Child key={child.id} child={child} card={card} />)}
      </ul>
      {deeper > 0 && children.length > 0 && <p class="soft">{text.card.childrenBelow(deeper)}</p>}
      {isOpen && <LineField label={text.card.childName} most={MOST_LETTERS} isBegun end={close}
        add={(name, key) => makeCard(card.path.projectId, { name }, key, (made, again) => family.add(made, again))} />}
    </section>
  );
}

function Child({ child, card }: { child: ChildCard; card: OpenCard }) {
  const { key, name, is_open: isOpen, priority, type, effort, project_id: project } = child;
  const state = child.team_statuses[0]?.status_name ?? (isOpen ? text.files.cardOpen : text.files.cardClosed);
  return (
    <li>
      <a href={hrefOf(card, child) ?? cardHref(project, child)} class={isOpen ? "" : "done"}>
        <Icon name={isOpen ? "page" : "check"} />
        <CardKey of={key} />
        <span class="name" dir="auto">{name}</span>
      </a>
      <PriorityMark priority={priority} />
      <TypeMark type={type} />
      {effort > 0 && <span class="effort" title={text.board.effort}>{effort}</span>}
      <span class="soft stands" dir="auto">{state}</span>
    </li>
  );
}

/** The parent as a link above the name, where there is one. */
export function ParentLink({ card, family }: { card: OpenCard; family: CardFamily }) {
  const parent = family.parent.value;
  if (!parent) return null;
  return (
    <a class="parent-link" href={hrefOf(card, parent)}>
      <CardKey of={parent.key} />
      <span dir="auto">{parent.name}</span>
      <Icon name="open" />
    </a>
  );
}

/** Chooses the parent, or takes the card out of it. */
export function ParentValue({ card, family }: { card: OpenCard; family: CardFamily }) {
  const parent = family.parent.value;
  const pick = (anchor: Element) => pickParent(anchor, card, family);
  if (!card.now.value.card.parent_id) return <Add name={text.card.setParent} pick={pick} />;
  const name = parent?.key ?? parent?.name ?? text.card.otherCard;
  return <Button name={name} label={`${text.card.parent}: ${name}`} kind="plain small chooser" popup="menu"
    onClick={({ currentTarget }) => pick(currentTarget).catch(tellFailure)} />;
}
