// The cost of agents in a period that stands in the address: four numbers, a chart, and the table behind it.

import type { UsageOf } from "../../../api/work/usage";
import { tellFailure } from "../../../model/messages";
import { barsOf, columnsOf, fileOf, periodOf, readReport, type Usage, type UsageRow } from "../../../model/work/usage";
import { text } from "../../../text";
import { search } from "../../../ui/address";
import { BarChart } from "../../../ui/bar-chart";
import { Button } from "../../../ui/button";
import { Numbers } from "../../../ui/chart";
import { Empty } from "../../../ui/empty";
import { SaveHost, saveBlob } from "../../../ui/save";
import { Time } from "../../../ui/time";
import { PageState } from "../../parts/page-state";
import { Periods } from "./periods";

const number = new Intl.NumberFormat(undefined, { maximumFractionDigits: 6 });
const say = (value: number) => number.format(value);

/** The usage of an account, an organization or a project. The page around it says whose. */
export function UsageReport({ of }: { of: UsageOf }) {
  const period = periodOf(search.value, of);
  return (
    <div class="page usage">
      <h1>{text.usage.title}</h1>
      <Periods key={`${period.from} ${period.to} ${period.by}`} of={of} period={period} />
      <PageState read={() => readReport(of, period)} keys={[period.from, period.to, period.by]}>
        {(usage) => <Figures of={of} usage={usage} />}
      </PageState>
      <SaveHost />
    </div>
  );
}

function Figures({ of, usage }: { of: UsageOf; usage: Usage }) {
  const { totals, period, asOf } = usage;
  if (totals.eventCount === 0) return <Empty icon="chart"><p>{text.usage.empty}</p></Empty>;
  const file = async () => saveBlob(await fileOf(of, usage), `usage-${period.from}-${period.to}.csv`);
  const name = text.usage.groups[period.by] ?? "";
  return (
    <>
      <dl class="figures">
        <Figure name={text.usage.credits} value={totals.credits} />
        <Figure name={text.usage.events} value={totals.eventCount} />
        <Figure name={text.usage.input} value={totals.promptTokens} />
        <Figure name={text.usage.output} value={totals.completionTokens} />
      </dl>
      <div class="heading">
        <h2>{text.usage.chart(name)}</h2>
        <Button name={text.usage.csv} icon="download" onClick={() => file().catch(tellFailure)} />
      </div>
      <BarChart class="usage-chart" say={say} groups={barsOf(usage).map((bar) =>
        ({ name: bar.name, bars: [{ kind: "done", value: bar.value, says: `${bar.name}: ${say(bar.value)}` }] }))} />
      <Rows usage={usage} name={name} />
      {period.by === "card" && <p class="soft">{text.usage.cardsHelp}</p>}
      {asOf && <p class="soft">{text.usage.asOf} <Time iso={asOf} /></p>}
    </>
  );
}

function Figure({ name, value }: { name: string; value: number }) {
  return <div><dt>{name}</dt><dd>{say(value)}</dd></div>;
}

function Rows({ usage: { rows, period }, name }: { usage: Usage; name: string }) {
  const columns = columnsOf(period.by);
  const heads: Partial<Record<keyof UsageRow, string>> = { credits: text.usage.credits, runCount: text.usage.runs,
    eventCount: text.usage.events, promptTokens: text.usage.input, completionTokens: text.usage.output };
  return (
    <Numbers caption={text.usage.table} heads={[name, ...columns.map((column) => heads[column] ?? "")]}
      rows={rows.map((row) => [row.href ? <a href={row.href}>{row.name}</a> : row.name,
        ...columns.map((column) => (row[column] === undefined ? "" : say(Number(row[column]))))])} />
  );
}
