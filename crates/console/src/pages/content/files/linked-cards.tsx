// The cards that are linked to the selected object, and a new one about it.

import { useSignal } from "@preact/signals";
import type { Card } from "../../../api/planning/links";
import type { ProjectObject } from "../../../api/content/objects";
import { newKey } from "../../../api/persist";
import { cardHref } from "../../../model/planning/card-name";
import { isLate } from "../../../model/planning/due";
import { tell } from "../../../model/messages";
import { text } from "../../../text";
import { open } from "../../../ui/address";
import { Button } from "../../../ui/button";
import { ask } from "../../../ui/dialog";
import { Field } from "../../../ui/form";
import { Icon } from "../../../ui/icon";
import { useLoaded } from "../../../ui/loaded";
import { Day } from "../../../ui/time";
import { CardTitle } from "../../parts/card-marks";
import { makeCard } from "../../parts/make-card";
import type { FilesView } from "./view";

export function LinkedCards({ object, view }: { object: ProjectObject; view: FilesView }) {
  const { links, files } = view;
  const turn = useSignal(0);
  const loaded = useLoaded(() => links.of(object.id), [object.id, turn.value]).state.value;
  const project = files.opened.project.id;
  const create = () => {
    const key = newKey();
    ask({
      title: text.files.newCardAbout(object.name),
      action: text.files.newCard,
      cancel: text.cancel,
      fields: <Field label={text.board.name} name="name" required />,
      async send(form) {
        const card = await makeCard(project, { name: String(form.get("name")) }, key, (made, again) =>
          links.create(object.id, made, again));
        turn.value += 1;
        tell(text.files.cardMade, { act: { name: text.files.openCard,
          run: () => open(`/projects/${project}/cards/${card}`) } });
      },
    });
  };
  const cards = loaded.state === "there" ? loaded.value : [];
  return (
    <section aria-labelledby="linked-cards">
      <div class="heading">
        <h3 id="linked-cards">{text.files.cards}</h3>
        <Button name={text.files.newCard} icon="plus" kind="plain" onClick={create} />
      </div>
      {loaded.state !== "waiting" && cards.length === 0 && <p class="soft">{text.files.noCards}</p>}
      {cards.length > 0 && (
        <ul class="rows">{cards.map((card) => <LinkedCard key={card.id} card={card} project={project} />)}</ul>
      )}
    </section>
  );
}

function LinkedCard({ card, project }: { card: Card; project: string }) {
  return (
    <li>
      <a class="row inside-row" href={cardHref(project, card)}>
        <Icon name={card.is_open ? "page" : "check"} />
        <CardTitle of={card.key} name={card.name} />
        <span class="soft">{card.is_open ? text.files.cardOpen : text.files.cardClosed}</span>
        <span class="soft">{card.deadline && <Day iso={card.deadline} late={isLate(card)} />}</span>
      </a>
    </li>
  );
}
