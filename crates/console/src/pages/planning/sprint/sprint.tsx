// A sprint: its goal, five numbers that open lists, its course as a chart, and its cards.

import { useMemo } from "preact/hooks";
import type { Sprint, SprintReport } from "../../../api/planning/sprints";
import { openPlan, type OpenPlan } from "../../../model/planning/open-plan";
import { SprintModel } from "../../../model/planning/sprint";
import { deleteSprintLater, whenOf } from "../../../model/planning/sprints";
import { isForeign, periodOf } from "../../../model/planning/zone";
import { text } from "../../../text";
import { open as openPage } from "../../../ui/address";
import { Button } from "../../../ui/button";
import { useLoaded } from "../../../ui/loaded";
import { usePlace } from "../../../ui/place";
import { CardSide } from "../../parts/card/side";
import type { PageProps } from "../../parts/page-props";
import { PageState } from "../../parts/page-state";
import { planView, type PlanView } from "../../parts/plan-view";
import { askChange, askComplete, askStart } from "../../parts/sprint-dialogs";
import { teamPlace } from "../../parts/team-place";
import { SprintCards } from "./cards";
import { SprintChart } from "./chart";
import { Tallies } from "./tallies";

interface OpenSprint extends OpenPlan {
  model: SprintModel;
}

async function openSprint(org: string, team: string, id: string): Promise<OpenSprint> {
  const model = new SprintModel({ orgId: org, teamId: team }, id);
  return { model, ...(await openPlan(model.path, { also: () => model.reload() })) };
}

export default function SprintPage({ parameters: { org = "", team = "", sprint = "" } }: PageProps) {
  return (
    <PageState read={() => openSprint(org, team, sprint)} keys={[org, team, sprint]} close={({ live }) => live.stop()}>
      {(opened) => <Opened {...opened} />}
    </PageState>
  );
}

function Opened({ model, ...open }: OpenSprint) {
  const { planning, opened, live } = open;
  const view = useMemo(() => planView(open, `/sprints/${model.id}`), [planning]);
  const [sprint, report] = [model.sprint.value, model.report.value];
  const name = sprint?.name ?? "";
  usePlace({
    ...teamPlace(opened, "/sprints", name, { name: text.sprints.title, href: `${view.href}/sprints` }, { name }),
    live: live.state.value,
  }, [model, name, live.state.value]);
  if (!sprint || !report) return null;
  const isPlanned = sprint.status === "planned";
  const cards = <SprintCards sprint={sprint} report={report} view={view} />;
  return (
    <>
      <div class="page sprint">
        <Head model={model} sprint={sprint} report={report} view={view} />
        {sprint.description && <Goal source={sprint.description} />}
        {isPlanned && cards}
        {!isPlanned && <Tallies report={report} view={view} />}
        <SprintChart sprint={sprint} report={report} zone={opened.team.time_zone} />
        {!isPlanned && cards}
        {sprint.status !== "completed" && <p><a href={`${view.href}/backlog`}>{text.sprints.fill}</a></p>}
      </div>
      <CardSide {...view.side} />
    </>
  );
}

interface HeadProps {
  model: SprintModel;
  sprint: Sprint;
  report: SprintReport;
  view: PlanView;
}

function Head({ model, sprint, report, view }: HeadProps) {
  const zone = view.opened.team.time_zone;
  return (
    <>
      <div class="heading">
        <h1 dir="auto">{sprint.name}</h1>
        <Acts model={model} sprint={sprint} report={report} view={view} />
      </div>
      <p class="sprint-facts soft">
        <span class="state" data-state={sprint.status}>{text.sprints.states[sprint.status]}</span>
        <span>{periodOf(sprint, zone)}</span>
        {whenOf(sprint, zone) && <span>{whenOf(sprint, zone)}</span>}
        {isForeign(zone) && <span>{text.sprints.teamZone(zone)}</span>}
      </p>
    </>
  );
}

function Acts({ model, sprint, report, view }: HeadProps) {
  const { planning, opened: { team: { time_zone: zone } } } = view;
  if (sprint.status === "completed") return null;
  const others = () => planning.sprints.peek().filter(({ id }) => id !== sprint.id);
  const edit = <Button name={text.sprints.edit} onClick={() => askChange(model, sprint, zone)} />;
  if (sprint.status === "active") {
    return (
      <>
        {edit}
        <Button name={text.sprints.completes} icon="tick" kind="primary"
          onClick={() => askComplete(model, report, others())} />
      </>
    );
  }
  const remove = () => {
    deleteSprintLater(model.path, sprint);
    openPage(`${view.href}/sprints`);
  };
  return (
    <>
      <Button name={text.sprints.remove} kind="plain" onClick={remove} />
      {edit}
      <Button name={text.sprints.starts} icon="run" kind="primary"
        onClick={() => askStart(model, sprint, zone, others().some(({ status }) => status === "active"))} />
    </>
  );
}

/** The goal in Markdown, whose parser is loaded where there is one. */
function Goal({ source }: { source: string }) {
  const { state } = useLoaded(() => import("../../../ui/markdown"), []);
  const loaded = state.value;
  if (loaded.state !== "there") return <p class="prose" dir="auto">{source}</p>;
  return <div class="prose"><loaded.value.Markdown source={source} under={1} /></div>;
}
