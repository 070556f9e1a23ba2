// The course of a sprint: its chart, what the lines mean, and the numbers behind it.

import type { Course } from "../../model/planning/burndown";
import { isForeign } from "../../model/planning/zone";
import { text } from "../../text";
import { Legend, Numbers } from "../../ui/chart";
import { LineChart } from "../../ui/line-chart";

export function Burndown({ course, isUp, zone }: { course: Course; isUp: boolean; zone: string }) {
  const { columns, burndown, burnup } = text.sprints;
  const { rows, ...chart } = course;
  return (
    <figure class="burndown">
      <LineChart {...chart} />
      <Legend keys={[["course", isUp ? columns.done : columns.remaining], ["scope", columns.scope],
        ["ideal", columns.ideal]]}>
        {isForeign(zone) && <span class="soft">{text.sprints.chartZone(zone)}</span>}
      </Legend>
      <details>
        <summary>{text.sprints.asTable}</summary>
        <Numbers caption={isUp ? burnup : burndown} rows={rows}
          heads={[columns.day, columns.scope, columns.done, columns.remaining, columns.ideal]} />
      </details>
    </figure>
  );
}
