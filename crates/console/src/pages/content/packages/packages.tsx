// Packages: what a project publishes for others, and what it includes of them.

import { projectEvents } from "../../../api/content/projects";
import { watch } from "../../../api/watch";
import { Packages } from "../../../model/content/packages";
import { openProject } from "../../../model/content/project";
import { tellFailure } from "../../../model/messages";
import { text } from "../../../text";
import { Button } from "../../../ui/button";
import { Icon } from "../../../ui/icon";
import { usePlace } from "../../../ui/place";
import { PageState } from "../../parts/page-state";
import type { PageProps } from "../../parts/page-props";
import { projectPlace } from "../../parts/project-place";
import { askInclude, askPublish } from "./asks";
import { Included, Published } from "./rows";

async function read(id: string) {
  const packages = new Packages(id);
  const [opened] = await Promise.all([openProject(id, null), packages.load()]);
  const live = watch(projectEvents(id), () => packages.load(), ({ type }) =>
    type.startsWith("package.") || type === "objects.changed");
  return { opened, packages, live };
}

export default function PackagesPage({ parameters: { project = "" } }: PageProps) {
  return (
    <PageState read={() => read(project)} keys={[project]} close={({ live }) => live.stop()}>
      {(value) => <Opened {...value} />}
    </PageState>
  );
}

function Opened({ opened, packages, live }: Awaited<ReturnType<typeof read>>) {
  const { id } = opened.project;
  const [published, included] = [packages.published.value, packages.included.value];
  const title = text.packages.title;
  usePlace({ ...projectPlace(opened, "/packages", title), live: live.state.value }, [opened, live.state.value]);
  return (
    <div class="page">
      <h1>{title}</h1>
      <p class="lead">{text.packages.lead}</p>
      <section aria-labelledby="published">
        <div class="heading">
          <h2 id="published">{text.packages.published}</h2>
          <Button name={text.packages.publish} icon="plus"
            onClick={() => void askPublish(packages).catch(tellFailure)} />
        </div>
        {published.length === 0 ? <None says={text.packages.nonePublished} /> : (
          <ul class="rows aligned">
            {published.map((one) => <Published key={one.id} one={one} project={id} packages={packages} />)}
          </ul>
        )}
      </section>
      <section aria-labelledby="included">
        <div class="heading">
          <h2 id="included">{text.packages.included}</h2>
          <Button name={text.packages.include} icon="plus" onClick={() => askInclude(packages)} />
        </div>
        {included.length === 0 ? <None says={text.packages.noneIncluded} /> : (
          <ul class="rows aligned">
            {included.map((one) => <Included key={one.include.id} one={one} project={id} packages={packages} />)}
          </ul>
        )}
      </section>
    </div>
  );
}

const None = ({ says }: { says: string }) => <p class="soft none-yet"><Icon name="package" />{says}</p>;
