// The flow of a project's cards on the team's board. The project and the period stand in the address.

import type { TeamPath } from "../../../api/planning/boards";
import { readFlow } from "../../../api/planning/flow";
import { PERIODS, choiceOf, firstDay } from "../../../model/planning/flow";
import { openTeam, type OpenedTeam } from "../../../model/planning/team";
import { isForeign } from "../../../model/planning/zone";
import { text } from "../../../text";
import { search, setParameters } from "../../../ui/address";
import { Empty } from "../../../ui/empty";
import { Select } from "../../../ui/picker";
import { SaveHost } from "../../../ui/save";
import { PageState } from "../../parts/page-state";
import { Switch } from "../../parts/switch";
import { FlowChart } from "./flow-chart";
import { Figures, InProgress, WeekChart } from "./flow-figures";
import { Frame } from "./frame";

export function FlowReports({ path }: { path: TeamPath }) {
  return (
    <PageState read={() => openTeam(path)} keys={[path.orgId, path.teamId]}>
      {(opened) => <Frame opened={opened} view="flow"><Flow opened={opened} /></Frame>}
    </PageState>
  );
}

function Flow({ opened: { path, team, projects } }: { opened: OpenedTeam }) {
  const { project, days } = choiceOf(search.value, projects);
  if (!project) {
    return (
      <Empty icon="chart">
        <p>{text.flow.noProject}</p>
        <a class="button primary" href="/projects">{text.frame.allProjects}</a>
      </Empty>
    );
  }
  const zone = team.time_zone;
  const query = { from: firstDay(days, zone), team: path.teamId };
  return (
    <>
      <p class="soft">{text.flow.lead} {isForeign(zone) && text.sprints.teamZone(zone)}</p>
      <div class="periods">
        <Select key={project.id} label={text.flow.project} name="project" value={project.id}
          choices={projects.map(({ id, name }) => ({ value: id, name }))}
          onChange={(id) => setParameters({ project: id })} />
        <Switch label={text.flow.period} name="days" chosen={String(days)}
          choices={PERIODS.map((length) => [String(length), text.flow.lastDays(length)] as const)} />
      </div>
      <PageState read={() => readFlow(project.id, query)} keys={[project.id, days]}>
        {(report) => (
          <>
            <FlowChart report={report} project={project.id} query={query} />
            <Figures report={report} />
            <WeekChart report={report} />
            <InProgress report={report} project={project.id} />
          </>
        )}
      </PageState>
      <SaveHost />
    </>
  );
}
