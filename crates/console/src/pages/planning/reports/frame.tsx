// The frame of each report of a team: its place, the title, and the choice of the report.

import type { ComponentChildren } from "preact";
import type { OpenedTeam } from "../../../model/planning/team";
import { text } from "../../../text";
import { usePlace } from "../../../ui/place";
import { Switch } from "../../parts/switch";
import { teamPlace } from "../../parts/team-place";

interface FrameProps {
  opened: OpenedTeam;
  view: "sprints" | "flow";
  children: ComponentChildren;
}

export function Frame({ opened, view, children }: FrameProps) {
  const { title, views } = text.reports;
  usePlace(teamPlace(opened, "/reports", title, { name: title }), [opened]);
  return (
    <div class="page reports">
      <div class="heading">
        <h1>{title}</h1>
        <Switch label={text.reports.view} name="view" chosen={view}
          choices={[["sprints", views.sprints], ["flow", views.flow]]} />
      </div>
      {children}
    </div>
  );
}
