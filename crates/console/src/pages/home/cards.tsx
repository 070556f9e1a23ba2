// The caller's open cards, the next due first.

import type { IndexCard } from "../../api/places";
import { dueOf, type Home } from "../../model/home";
import { tellFailure } from "../../model/messages";
import { text } from "../../text";
import { Button } from "../../ui/button";
import { Icon } from "../../ui/icon";
import { Day } from "../../ui/time";
import { CardTitle } from "../parts/card-marks";

export function OwnCards({ home }: { home: Home }) {
  const groups = home.groups.value;
  return (
    <section aria-labelledby="own-cards" class="home-cards">
      <h2 id="own-cards">{text.home.cards}</h2>
      {groups.length === 0 && <p class="soft">{text.home.noCards}</p>}
      {groups.map(([due, cards]) => (
        <div key={due} role="group" aria-label={text.home.due[due]}>
          <h3 class={due === "late" ? "late" : undefined}>
            {text.home.due[due]} <span class="soft">{cards.length}</span>
          </h3>
          <ul class="rows">{cards.map((card) => <CardRow key={card.id} card={card} home={home} />)}</ul>
        </div>
      ))}
      {home.nextCards.value && (
        <Button name={text.projects.more} label={text.home.moreCards} kind="plain"
          onClick={() => home.moreCards().catch(tellFailure)} />
      )}
    </section>
  );
}

function CardRow({ card, home }: { card: IndexCard; home: Home }) {
  return (
    <li>
      <a class="row home-row" href={home.hrefOf(card)}>
        <Icon name="page" />
        <CardTitle of={card.key} name={card.name} />
        <span class="soft where" dir="auto">{home.boardOf(card)?.name}</span>
        <span class="soft">{card.deadline && <Day iso={card.deadline} late={dueOf(card) === "late"} />}</span>
      </a>
    </li>
  );
}
