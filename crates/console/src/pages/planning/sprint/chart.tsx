// The course of a sprint as a drawing, with the numbers behind it as a table.

import type { Sprint, SprintReport } from "../../../api/planning/sprints";
import { courseOf, unitOf } from "../../../model/planning/burndown";
import { text } from "../../../text";
import { search } from "../../../ui/address";
import { Burndown } from "../../parts/burndown";
import { Switch } from "../../parts/switch";

export function SprintChart({ sprint, report, zone }: { sprint: Sprint; report: SprintReport; zone: string }) {
  const isUp = search.value.get("chart") === "up";
  const asked = search.value.get("unit");
  const unit = asked === "cards" || asked === "effort" ? asked : unitOf([report]);
  const { burndown, burnup, byEffort, byCards } = text.sprints;
  if (report.days.length === 0) return <p class="soft">{text.sprints.noDays}</p>;
  return (
    <section aria-label={burndown}>
      <div class="heading">
        <h2>{isUp ? burnup : burndown}</h2>
        <Switch label={text.sprints.chart} name="chart" chosen={isUp ? "up" : "down"}
          choices={[["down", burndown], ["up", burnup]]} />
        <Switch label={text.sprints.unit} name="unit" chosen={unit}
          choices={[["effort", byEffort], ["cards", byCards]]} />
      </div>
      <Burndown course={courseOf(sprint, report, { unit, isUp, zone })} isUp={isUp} zone={zone} />
    </section>
  );
}
