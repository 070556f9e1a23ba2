// A card as it was at a moment. Nothing of it can be changed.

import type { ComponentChildren } from "preact";
import { priorityName, typeName } from "../../../model/planning/card-kinds";
import { cardHref, nameOf } from "../../../model/planning/card-name";
import { SIDES, sideOf } from "../../../model/planning/card-relations";
import { fieldsOfCard, sayValue } from "../../../model/planning/custom-fields";
import { isLate } from "../../../model/planning/due";
import { dayOfMoment, pastHref, type PastCard } from "../../../model/planning/past";
import { text } from "../../../text";
import { Avatar } from "../../../ui/avatar";
import { Dot, Icon } from "../../../ui/icon";
import { Markdown } from "../../../ui/markdown";
import { Day, dayOf } from "../../../ui/time";
import { CardKey, PriorityIcon, TypeIcon } from "../card-marks";

export function PastCardView({ past }: { past: PastCard }) {
  const { card } = past.read;
  return (
    <article class="card-panel" data-past={card.id}>
      <div class="panel-head">
        <span class="tag">{card.is_open ? text.files.cardOpen : text.files.cardClosed}</span>
        <CardKey of={card.key} />
      </div>
      <h2 class="card-name" dir="auto">{card.name}</h2>
      <PastFacts past={past} />
      {card.description && <Markdown source={card.description} />}
      {card.resolution && <Markdown source={card.resolution} />}
      <PastRelations past={past} />
      <PastFiles past={past} />
    </article>
  );
}

function PastFacts({ past }: { past: PastCard }) {
  const { read: { card, indexCard, children }, summary, at } = past;
  const { done, total } = indexCard.checklist;
  return (
    <dl class="card-fields">
      <Fact label={text.card.column} of={indexCard.team_statuses.map(({ team_id: team, status_name: name, ...one }) => (
        <span key={team} class="tag"><Dot color={one.status_color} /><span dir="auto">{name}</span></span>
      ))} />
      <Fact label={text.card.assignees} of={summary.assignees.map(({ id, display_name: name }) => (
        <span key={id} class="tag"><Avatar name={name} of={id} decorative /><span dir="auto">{name}</span></span>
      ))} />
      <Fact label={text.card.priority} of={[<Chosen key="p" icon={<PriorityIcon priority={card.priority} />}
        name={priorityName(card.priority)} />]} />
      <Fact label={text.card.type} of={[<Chosen key="t" icon={<TypeIcon type={card.type} />}
        name={typeName(card.type)} />]} />
      <Fact label={text.card.tags} of={summary.tags.map(({ id, name, color }) => (
        <span key={id} class="tag"><Dot color={color} /><span dir="auto">{name}</span></span>
      ))} />
      <Fact label={text.board.effort} of={card.effort > 0 ? [<span key="e">{card.effort}</span>] : []} />
      <Fact label={text.card.start} of={card.start_date ? [<Day key="s" iso={card.start_date} />] : []} />
      <Fact label={text.board.due} of={card.deadline
        ? [<Day key="d" iso={card.deadline} late={isLate(card, dayOfMoment(at))} />] : []} />
      <PastFields past={past} />
      <Fact label={text.checklist.title} of={total > 0
        ? [<span key="l">{text.checklist.counted(done, total)}</span>] : []} />
      <Fact label={text.card.children} of={children.total > 0
        ? [<span key="c">{text.card.childrenDone(children.closed, children.total)}</span>] : []} />
    </dl>
  );
}

/** The custom fields with a value. */
function PastFields({ past: { read: { card }, around } }: { past: PastCard }) {
  const person = (id: string) => around.members.find(({ userId }) => userId === id)?.name ?? text.card.former;
  return (
    <>
      {fieldsOfCard(around.fields, card.fields).map((field) => {
        const value = card.fields[field.id];
        if (value === undefined) return null;
        return <Fact key={field.id} label={field.name}
          of={[<span key="v" dir="auto">{sayValue(field, value, { person, day: dayOf })}</span>]} />;
      })}
    </>
  );
}

const Chosen = ({ icon, name }: { icon: ComponentChildren; name: string }) => (
  <span class="tag">{icon}<span dir="auto">{name}</span></span>
);

/** A fact of the card; a dash where it had none. */
function Fact({ label, of }: { label: string; of: ComponentChildren[] }) {
  return (
    <>
      <dt dir="auto">{label}</dt>
      <dd><div class="values">{of.length > 0 ? of : <span class="soft">–</span>}</div></dd>
    </>
  );
}

function PastRelations({ past: { read: { relations }, at } }: { past: PastCard }) {
  if (relations.length === 0) return null;
  const groups = SIDES.map((side) => [side, relations.filter((one) => sideOf(one) === side)] as const);
  return (
    <section class="relations" aria-labelledby="past-relations">
      <h3 id="past-relations">{text.card.relations}</h3>
      {groups.filter(([, ofSide]) => ofSide.length > 0).map(([side, ofSide]) => (
        <div key={side}>
          <h4 class="soft">{text.card.sides[side]}</h4>
          <ul class="related">
            {ofSide.map(({ card }) => (
              <li key={nameOf(card)}>
                <a class={card.isOpen ? "" : "done"} href={pastHref(cardHref(card.projectId, card), at)}>
                  <CardKey of={card.key} /><span class="name" dir="auto">{card.name}</span>
                </a>
              </li>
            ))}
          </ul>
        </div>
      ))}
    </section>
  );
}

/** The names of its files. Those that were removed since can't be read any more. */
function PastFiles({ past: { read: { attachments } } }: { past: PastCard }) {
  if (attachments.length === 0) return null;
  return (
    <section aria-labelledby="past-files">
      <h3 id="past-files">{text.attachments.title}</h3>
      <ul class="related">
        {attachments.map(({ id, name }) => (
          <li key={id}><Icon name="file" /><span class="name" dir="auto">{name}</span></li>
        ))}
      </ul>
    </section>
  );
}
