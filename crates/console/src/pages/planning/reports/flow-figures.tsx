// How long cards take, how many are done in a week, and which have been in progress for the longest time.

import type { FlowReport } from "../../../api/planning/flow";
import { inWords } from "../../../model/planning/burndown";
import { figuresOf, oldestOf, throughputOf } from "../../../model/planning/flow-figures";
import { text } from "../../../text";
import { BarChart } from "../../../ui/bar-chart";
import { Legend, Numbers } from "../../../ui/chart";
import { CardTitle } from "../../parts/card-marks";

export function Figures({ report }: { report: FlowReport }) {
  const figures = figuresOf(report);
  return (
    <section aria-labelledby="times">
      <h2 id="times">{text.flow.times}</h2>
      {figures.length === 0 ? <p class="soft">{text.flow.noClosed}</p> : (
        <dl class="flow-figures">
          {figures.map(({ key, name, value, more, help }) => (
            <div key={key} data-figure={key}>
              <dt>{name}</dt>
              <dd class="flow-value">{value}</dd>
              <dd>{more}</dd>
              <dd class="soft">{help}</dd>
            </div>
          ))}
        </dl>
      )}
    </section>
  );
}

/** The cards done in each week; empty if no card was closed. */
export function WeekChart({ report }: { report: FlowReport }) {
  if (report.leadTime.cards === 0) return null;
  const { weeks, mean } = throughputOf(report);
  const { throughput, week, wholeWeek, partOfWeek, partly, average, cards, effort } = text.flow;
  const said = text.flow.throughputSays(inWords(mean.cards));
  const groups = weeks.map((one) => ({ name: one.name, bars: [
    { kind: one.isWhole ? "done" : "planned", value: one.cards, says: text.flow.weekSays(one.name, one.cards) },
  ] }));
  return (
    <section aria-labelledby="throughput">
      <h2 id="throughput">{throughput}</h2>
      <figure class="burndown">
        <p class="soft">{said}</p>
        <BarChart groups={groups} whole average={mean.cards} label={`${throughput}. ${said}`} />
        <Legend keys={[["done", wholeWeek], ["planned", partOfWeek], ["ideal", average]]} />
        <details>
          <summary>{text.flow.asTable}</summary>
          <Numbers caption={throughput} heads={[week, cards, effort]}
            rows={weeks.map((one) => [one.isWhole ? one.name : partly(one.name), one.cards, one.effort]).reverse()} />
        </details>
      </figure>
    </section>
  );
}

export function InProgress({ report, project }: { report: FlowReport; project: string }) {
  const { cards, total } = oldestOf(report, project);
  const { inProgress, inProgressHelp, noneInProgress, card, since, age } = text.flow;
  return (
    <section aria-labelledby="in-progress">
      <h2 id="in-progress">{inProgress} <span class="soft">{text.flow.oldest(cards.length, total)}</span></h2>
      {total === 0 ? <p class="soft">{noneInProgress}</p> : (
        <>
          <p class="soft">{inProgressHelp}</p>
          <Numbers caption={inProgress} heads={[card, since, age]} rows={cards.map((one) =>
            [<a href={one.href}><CardTitle of={one.key} name={one.name} /></a>, one.since, one.age])} />
        </>
      )}
    </section>
  );
}
