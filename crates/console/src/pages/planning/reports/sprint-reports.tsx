// The reports of a team's sprints: the velocity of the last ones, and the flow of the active one.

import type { TeamPath } from "../../../api/planning/boards";
import { courseOf, inWords, unitOf } from "../../../model/planning/burndown";
import { openReports, velocityOf, type Reports, type Told } from "../../../model/planning/velocity";
import { text } from "../../../text";
import { BarChart } from "../../../ui/bar-chart";
import { Legend, Numbers } from "../../../ui/chart";
import { Empty } from "../../../ui/empty";
import { Burndown } from "../../parts/burndown";
import { PageState } from "../../parts/page-state";
import { Frame } from "./frame";

export function SprintReports({ path }: { path: TeamPath }) {
  return (
    <PageState read={() => openReports(path)} keys={[path.orgId, path.teamId]}>
      {(reports) => <Frame opened={reports.opened} view="sprints"><Opened {...reports} /></Frame>}
    </PageState>
  );
}

function Opened({ opened, done, running }: Reports) {
  const { velocity, flow } = text.reports;
  const { path: { orgId, teamId }, team: { time_zone: zone } } = opened;
  const href = `/orgs/${orgId}/teams/${teamId}/sprints`;
  return (
    <>
      <section aria-labelledby="velocity">
        <h2 id="velocity">{velocity}</h2>
        {done.length > 0 ? <Velocity done={done} href={href} /> : (
          <Empty icon="chart">
            <p>{text.reports.empty}</p>
            <a class="button primary" href={href}>{text.sprints.title}</a>
          </Empty>
        )}
      </section>
      {running && running.report.days.length > 0 && (
        <section aria-labelledby="flow">
          <h2 id="flow">{flow} <a href={`${href}/${running.sprint.id}`} dir="auto">{running.sprint.name}</a></h2>
          <Burndown isUp zone={zone}
            course={courseOf(running.sprint, running.report, { unit: unitOf([running.report]), isUp: true, zone })} />
        </section>
      )}
    </>
  );
}

function Velocity({ done, href }: { done: readonly Told[]; href: string }) {
  const { rows, average } = velocityOf(done);
  const { planned, done: finished, sprint, velocity, lead } = text.reports;
  const said = text.reports.average(inWords(average));
  const groups = rows.map((row) => ({ name: row.name, bars: [
    { kind: "planned", value: row.planned, says: `${row.name} · ${planned} ${row.planned}` },
    { kind: "done", value: row.done, says: `${row.name} · ${finished} ${row.done}` },
  ] }));
  return (
    <figure class="burndown">
      <p class="soft">{`${lead} ${said}`}</p>
      <BarChart groups={groups} whole average={average} label={`${velocity}. ${said}`} />
      <Legend keys={[["planned", planned], ["done", finished], ["ideal", text.reports.averageKey]]} />
      <details>
        <summary>{text.sprints.asTable}</summary>
        <Numbers caption={velocity} heads={[sprint, planned, finished]}
          rows={rows.map((row) => [<a href={`${href}/${row.id}`}>{row.name}</a>, row.planned, row.done])} />
      </details>
    </figure>
  );
}
