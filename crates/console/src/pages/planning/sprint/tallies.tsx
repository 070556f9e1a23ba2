// The end of a sprint's scope in five numbers, each of which opens the cards behind it.

import type { SprintReport, SprintReportPart } from "../../../api/planning/sprints";
import { unitOf } from "../../../model/planning/burndown";
import { cardHref, nameOf } from "../../../model/planning/card-name";
import { text } from "../../../text";
import { search, setParameters } from "../../../ui/address";
import { Icon } from "../../../ui/icon";
import { CardTitle } from "../../parts/card-marks";
import { openHere } from "../../parts/plan-row";
import type { PlanView } from "../../parts/plan-view";

const PARTS = ["scope_at_start", "added", "removed", "done", "carried_over"] as const;

export function Tallies({ report, view }: { report: SprintReport; view: PlanView }) {
  const list = search.value.get("list") ?? "";
  const unit = search.value.get("unit") === "cards" ? "cards" : unitOf([report]);
  const opened = PARTS.find((part) => part === list);
  return (
    <>
      <div class="tallies" role="group" aria-label={text.sprints.title}>
        {PARTS.map((part) => (
          <button key={part} type="button" class="tally" data-part={part} aria-expanded={list === part}
            aria-controls="sprint-cards" onClick={() => setParameters({ list: list === part ? null : part })}>
            <span class="tally-value">{report[part].total[unit]}</span>
            <span class="soft">{text.sprints.parts[part]}</span>
          </button>
        ))}
      </div>
      <section class="sprint-cards" id="sprint-cards" hidden={!opened}>
        {opened && <PartCards name={text.sprints.parts[opened] ?? ""} part={report[opened]} view={view} />}
      </section>
    </>
  );
}

export function PartCards({ name, part, view }: { name: string; part: SprintReportPart; view: PlanView }) {
  const { cards, total } = part;
  const unseen = total.cards - cards.length;
  const known = new Map(view.planning.cards.value.map((card) => [card.id, card]));
  return (
    <>
      <h2>{`${name}: ${text.sprints.tally(total.cards, total.effort)}`}</h2>
      {total.cards === 0 && <p class="soft">{text.sprints.noCards}</p>}
      <ul class="rows">
        {cards.map(({ id, name: said, effort, project_id: project }) => {
          const card = known.get(id);
          return (
            <li key={id}>
              <a class="row report-row" href={card ? `${view.here}?card=${nameOf(card)}` : cardHref(project, { id })}
                onClick={(event) => { if (card) openHere(event, card); }}>
                <Icon name="page" />
                <CardTitle of={card?.key} name={said} />
                <span class="soft" title={text.board.effort}>{effort || ""}</span>
              </a>
            </li>
          );
        })}
      </ul>
      {unseen > 0 && <p class="soft">{text.sprints.hiddenCards(unseen)}</p>}
    </>
  );
}
