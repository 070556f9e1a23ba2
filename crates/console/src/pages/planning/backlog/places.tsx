// The sprints beside the backlog, which take cards.

import { useCallback, useRef } from "preact/hooks";
import type { Sprint } from "../../../api/planning/sprints";
import { tallyOf } from "../../../model/planning/plan-cards";
import { periodOf } from "../../../model/planning/zone";
import { text } from "../../../text";
import { Icon } from "../../../ui/icon";
import { useListDrop } from "../../parts/list-drag";
import { NewCard } from "../../parts/new-card";
import { PlanRow } from "../../parts/plan-row";
import type { PlanView } from "../../parts/plan-view";
import { Line } from "./lists";

/** Sprints that a number chooses. */
const NUMBERED = 9;

export function SprintPlaces({ view }: { view: PlanView }) {
  const sprints = view.planning.sprints.value;
  return (
    <div class="backlog-sprints">
      {sprints.map((sprint, at) => <SprintPlace key={sprint.id} sprint={sprint} at={at} view={view} />)}
      {sprints.length === 0 && <p class="soft">{text.backlog.noSprints}</p>}
      <a class="button plain" href={`${view.href}/sprints?new=`}><Icon name="plus" />{text.sprints.create}</a>
    </div>
  );
}

function SprintPlace({ sprint, at, view }: { sprint: Sprint; at: number; view: PlanView }) {
  const { planning, opened } = view;
  const place = useRef<HTMLElement>(null);
  const list = useRef<HTMLUListElement>(null);
  const drop = useCallback((id: string, to: number) =>
    planning.drop(id, { kind: "sprint", id: sprint.id }, to), [sprint.id]);
  const landing = useListDrop(place, { list, drop }).value;
  const cards = planning.listOf({ kind: "sprint", id: sprint.id });
  const { cards: count, effort } = tallyOf(cards);
  const heading = `sprint-${sprint.id}`;
  const facts = [text.sprints.states[sprint.status], periodOf(sprint, opened.team.time_zone),
    text.sprints.tally(count, effort)];
  return (
    <section ref={place} class={landing ? "sprint-place lit" : "sprint-place"} data-sprint={sprint.id}
      aria-labelledby={heading}>
      <div class="sprint-place-head">
        <h2 id={heading}><a href={`${view.href}/sprints/${sprint.id}`} dir="auto">{sprint.name}</a></h2>
        {at < NUMBERED && <kbd title={text.backlog.key(at + 1)}>{at + 1}</kbd>}
      </div>
      <p class="soft">{facts.join(" · ")}</p>
      <ul ref={list} class="plan-rows sprint-own" aria-labelledby={heading}>
        {cards.map((card) => <PlanRow key={card.id} card={card} view={view} showsColumn />)}
        {landing && landing.top !== null && <Line top={landing.top} />}
      </ul>
      {cards.length === 0 && <p class="soft hint">{text.backlog.dropHere}</p>}
      <NewCard opened={opened} draft={`${view.href}/sprints/${sprint.id}/cards`}
        label={text.backlog.addTo(sprint.name)}
        add={(project, card, key) => planning.add({ kind: "sprint", id: sprint.id }, project, card, key)} />
    </section>
  );
}
