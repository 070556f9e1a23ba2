// A team's reports: those of its sprints, and the flow of its projects' cards. The address has the chosen one.

import { search } from "../../../ui/address";
import type { PageProps } from "../../parts/page-props";
import { FlowReports } from "./flow";
import { SprintReports } from "./sprint-reports";

export default function ReportsPage({ parameters: { org = "", team = "" } }: PageProps) {
  const path = { orgId: org, teamId: team };
  return search.value.get("view") === "flow" ? <FlowReports path={path} /> : <SprintReports path={path} />;
}
