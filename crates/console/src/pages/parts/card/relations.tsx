// The relations of a card, by what they say of it.

import type { RelatedCard } from "../../../api/planning/card-relations";
import type { CardRelations, Side } from "../../../model/planning/card-relations";
import { titleOf } from "../../../model/planning/card-name";
import type { OpenCard } from "../../../model/planning/open-card";
import { text } from "../../../text";
import { Button } from "../../../ui/button";
import { Icon } from "../../../ui/icon";
import { CardKey } from "../card-marks";
import { hrefOf, pickRelation } from "./kind-pickers";
import { Add } from "./values";

export function RelationsSection({ card, relations }: { card: OpenCard; relations: CardRelations }) {
  return (
    <section class="relations" aria-labelledby="relations">
      <div class="section-head">
        <h3 id="relations">{text.card.relations}</h3>
        <Add name={text.card.addRelation} pick={async (anchor) => pickRelation(anchor, card, relations)} />
      </div>
      {relations.groups.value.map(([side, cards]) => (
        <div key={side} role="group" aria-label={text.card.sides[side]}>
          <h4 class="soft">{text.card.sides[side]}</h4>
          <ul class="related">
            {cards.map((other) => <Related key={other.id} {...{ card, relations, side, other }} />)}
          </ul>
        </div>
      ))}
    </section>
  );
}

interface RelatedProps {
  card: OpenCard;
  relations: CardRelations;
  side: Side;
  other: RelatedCard;
}

function Related({ card, relations, side, other }: RelatedProps) {
  const { key, name, isOpen } = other;
  const blocks = side === "blockedBy" && isOpen;
  return (
    <li>
      <a href={hrefOf(card, other)} class={isOpen ? "" : "done"}>
        <span class={blocks ? "blocked" : undefined}>
          <Icon name={blocks ? "blocked" : isOpen ? "page" : "check"} />
        </span>
        <CardKey of={key} />
        <span class="name" dir="auto">{name}</span>
      </a>
      <span class="soft stands">{isOpen ? text.files.cardOpen : text.files.cardClosed}</span>
      <Button name={text.card.unrelate(text.card.sides[side], titleOf({ key, name }))} icon="close" kind="plain small"
        quiet onClick={() => relations.set(side, other, false)} />
    </li>
  );
}
