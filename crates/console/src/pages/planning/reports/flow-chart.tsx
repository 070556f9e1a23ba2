// The cumulative flow: cards in the columns day by day as a chart, as a table, and as a file.

import { readFlowTable, type FlowQuery, type FlowReport } from "../../../api/planning/flow";
import { tellFailure } from "../../../model/messages";
import { MOST_ROWS, cumulativeFlow, tableOf } from "../../../model/planning/flow";
import { text } from "../../../text";
import { Button } from "../../../ui/button";
import { Legend, Numbers } from "../../../ui/chart";
import { LineChart } from "../../../ui/line-chart";
import { saveBlob } from "../../../ui/save";
import { LateDetails } from "./late-details";

interface FlowChartProps {
  report: FlowReport;
  project: string;
  query: FlowQuery;
}

export function FlowChart({ report, project, query }: FlowChartProps) {
  const flow = cumulativeFlow(report);
  const save = async () => saveBlob(await readFlowTable(project, query), `flow-${report.from}-${report.to}.csv`);
  return (
    <section aria-labelledby="cumulative">
      <div class="heading">
        <h2 id="cumulative">{flow.label}</h2>
        <Button name={text.flow.csv} icon="download" onClick={() => save().catch(tellFailure)} />
      </div>
      <p class="soft">{text.flow.cumulativeHelp}</p>
      <figure class="burndown">
        <LineChart {...flow} />
        <Legend keys={flow.lines.map(({ kind, name }) => [kind, name] as const)}>
          {flow.bands.toReversed().map(({ key, name, color }) => (
            <span key={key} class="key band" style={{ "--band": color }} dir="auto">{name}</span>
          ))}
        </Legend>
        <LateDetails summary={text.flow.asTable}>{() => <Days report={report} />}</LateDetails>
      </figure>
    </section>
  );
}

function Days({ report }: { report: FlowReport }) {
  return (
    <>
      <Numbers caption={text.flow.cumulative} {...tableOf(report)} />
      {report.days.length > MOST_ROWS && <p class="soft">{text.flow.latest(MOST_ROWS)}</p>}
    </>
  );
}
