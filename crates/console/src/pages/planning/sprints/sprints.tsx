// A team's sprints: the active ones, the planned ones, and those that are completed.

import { useEffect, useRef } from "preact/hooks";
import type { Sprint, SprintReport, SprintStatus } from "../../../api/planning/sprints";
import { unitOf } from "../../../model/planning/burndown";
import { openSprints, whenOf, type OpenSprints } from "../../../model/planning/sprints";
import { periodOf } from "../../../model/planning/zone";
import { text } from "../../../text";
import { useActions } from "../../../ui/actions";
import { open, search, setParameters } from "../../../ui/address";
import { Button } from "../../../ui/button";
import { Empty } from "../../../ui/empty";
import { Icon } from "../../../ui/icon";
import { usePlace } from "../../../ui/place";
import type { PageProps } from "../../parts/page-props";
import { PageState } from "../../parts/page-state";
import { useRowKeys } from "../../parts/row-keys";
import { askNewSprint } from "../../parts/sprint-dialogs";
import { teamPlace } from "../../parts/team-place";

export default function SprintsPage({ parameters: { org = "", team = "" } }: PageProps) {
  return (
    <PageState read={() => openSprints({ orgId: org, teamId: team })} keys={[org, team]}
      close={({ live }) => live.stop()}>
      {(opened) => <Opened {...opened} />}
    </PageState>
  );
}

function Opened({ sprints, opened, live }: OpenSprints) {
  const { path, team: { time_zone: zone } } = opened;
  const href = `/orgs/${path.orgId}/teams/${path.teamId}/sprints`;
  const { title } = text.sprints;
  const create = () => askNewSprint(sprints, zone, ({ id }) => open(`${href}/${id}`));
  usePlace({ ...teamPlace(opened, "/sprints", title, { name: title }), live: live.state.value },
    [sprints, live.state.value]);
  useActions(() => [{ name: text.sprints.create, icon: "plus", group: title, key: "c", run: create }]);
  // Another page leads here to make one.
  const isAsked = search.value.has("new");
  useEffect(() => {
    if (!isAsked) return;
    setParameters({ new: null });
    create();
  }, [isAsked]);
  const groups = sprints.groups.value;
  const page = useRef<HTMLDivElement>(null);
  useRowKeys(page, "a.row", title);
  const button = <Button name={text.sprints.create} icon="plus" kind="primary" onClick={create} />;
  return (
    <div ref={page} class="page">
      <div class="heading"><h1>{title}</h1>{groups.length > 0 && button}</div>
      <p class="soft">{text.sprints.lead}</p>
      {groups.length === 0 && <Empty icon="sprint"><p>{text.sprints.empty}</p>{button}</Empty>}
      <div class="sprint-lists">
        {groups.map(([status, some]) => (
          <Group key={status} status={status} sprints={some} reports={sprints.reports.value} href={href} zone={zone} />
        ))}
      </div>
    </div>
  );
}

interface GroupProps {
  status: SprintStatus;
  sprints: readonly Sprint[];
  reports: ReadonlyMap<string, SprintReport>;
  href: string;
  zone: string;
}

function Group({ status, sprints, reports, href, zone }: GroupProps) {
  const heading = `sprints-${status}`;
  return (
    <section aria-labelledby={heading}>
      <h2 id={heading}>{text.sprints.states[status]} <span class="soft">{sprints.length}</span></h2>
      <ul class="rows">
        {sprints.map((sprint) => (
          <li key={sprint.id}>
            <a class="row sprint-row" href={`${href}/${sprint.id}`}>
              <Icon name="sprint" />
              <span class="what">
                <span class="name" dir="auto">{sprint.name}</span>
                <span class="soft goal" dir="auto">{firstLine(sprint.description)}</span>
              </span>
              <Progress report={reports.get(sprint.id)} />
              <span class="soft when">{whenOf(sprint, zone)}</span>
              <span class="soft">{periodOf(sprint, zone)}</span>
            </a>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** The part of the scope that is done. */
function Progress({ report }: { report: SprintReport | undefined }) {
  if (!report) return <span class="how" />;
  const unit = unitOf([report]);
  const done = report.done.total[unit];
  const all = done + report.carried_over.total[unit];
  const said = text.sprints.doneOf(done, all);
  return (
    <span class="how">
      <progress max={Math.max(1, all)} value={done} aria-hidden="true" />
      <span class="soft">{said}</span>
    </span>
  );
}

/** The first line of a text without the marks of Markdown. */
const firstLine = (source: string) => (source.split("\n")[0] ?? "").replace(/[*_#`]+/g, "").trim();
