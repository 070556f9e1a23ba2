// The cards of a sprint, at every time: those that are in it now, or what a completed one has done and left.

import { useCallback, useRef } from "preact/hooks";
import type { Sprint, SprintReport } from "../../../api/planning/sprints";
import { tallyOf } from "../../../model/planning/plan-cards";
import type { PlanList } from "../../../model/planning/planning";
import { text } from "../../../text";
import { useListDrop } from "../../parts/list-drag";
import { NewCard } from "../../parts/new-card";
import { PlanRow } from "../../parts/plan-row";
import type { PlanView } from "../../parts/plan-view";
import { PartCards } from "./tallies";

interface SprintCardsProps {
  sprint: Sprint;
  report: SprintReport;
  view: PlanView;
}

export function SprintCards({ sprint, report, view }: SprintCardsProps) {
  if (sprint.status !== "completed") return <CardsNow sprint={sprint} view={view} />;
  return (["done", "carried_over"] as const).map((part) => (
    <section key={part}><PartCards name={text.sprints.parts[part] ?? ""} part={report[part]} view={view} /></section>
  ));
}

function CardsNow({ sprint, view }: Omit<SprintCardsProps, "report">) {
  const { planning, opened } = view;
  const place = useRef<HTMLElement>(null);
  const list = useRef<HTMLUListElement>(null);
  const kind: PlanList = { kind: "sprint", id: sprint.id };
  const drop = useCallback((id: string, at: number) => planning.drop(id, kind, at), [sprint.id]);
  const landing = useListDrop(place, { list, drop }).value;
  const cards = planning.listOf(kind);
  const { cards: count, effort } = tallyOf(cards);
  return (
    <section ref={place} aria-labelledby="cards-now">
      <h2 id="cards-now">{text.sprints.cards} <span class="soft">{text.sprints.tally(count, effort)}</span></h2>
      <ul ref={list} class="plan-rows" aria-labelledby="cards-now">
        {cards.map((card) => <PlanRow key={card.id} card={card} view={view} showsColumn />)}
        {landing && landing.top !== null && (
          <li class="landing" aria-hidden="true" style={{ top: `${landing.top}px` }} />
        )}
      </ul>
      {cards.length === 0 && <p class="soft">{text.sprints.noCardsYet}</p>}
      <NewCard opened={opened} draft={`${view.href}/sprints/${sprint.id}/cards`}
        add={(project, card, key) => planning.add(kind, project, card, key)} />
    </section>
  );
}
