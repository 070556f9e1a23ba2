// The cost of agents in a project.

import { openProject, type OpenedProject } from "../../../model/content/project";
import { text } from "../../../text";
import { usePlace } from "../../../ui/place";
import type { PageProps } from "../../parts/page-props";
import { PageState } from "../../parts/page-state";
import { projectPlace } from "../../parts/project-place";
import { UsageReport } from "./usage";

export default function ProjectUsagePage({ parameters: { project = "" } }: PageProps) {
  return (
    <PageState read={() => openProject(project, null)} keys={[project]}>
      {(opened) => <Opened opened={opened} />}
    </PageState>
  );
}

function Opened({ opened }: { opened: OpenedProject }) {
  usePlace(projectPlace(opened, "/usage", text.usage.title), [opened]);
  return <UsageReport of={{ kind: "project", id: opened.project.id }} />;
}
