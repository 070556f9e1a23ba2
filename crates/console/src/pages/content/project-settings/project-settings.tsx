// A project's settings: name, visibility, people, boards, types of cards, custom fields, clone address, owner and end.

import { deleteProject, projectEvents } from "../../../api/content/projects";
import { watch } from "../../../api/watch";
import { openProject } from "../../../model/content/project";
import { ProjectSettings } from "../../../model/content/project-settings";
import { ProjectFields } from "../../../model/planning/project-fields";
import { ProjectTypes } from "../../../model/planning/project-types";
import { text } from "../../../text";
import { open } from "../../../ui/address";
import { Button } from "../../../ui/button";
import { usePlace } from "../../../ui/place";
import { confirm } from "../../parts/confirm";
import { Copied } from "../../parts/copied";
import { PageState } from "../../parts/page-state";
import type { PageProps } from "../../parts/page-props";
import { projectPlace } from "../../parts/project-place";
import { Boards } from "./boards";
import { CardTypes } from "./card-types";
import { Fields } from "./fields";
import { General } from "./general";
import { People } from "./people";
import { askTransfer } from "./transfer";

async function read(id: string) {
  const settings = new ProjectSettings(await openProject(id, null));
  const fields = new ProjectFields(id);
  const types = new ProjectTypes(id);
  const load = () => Promise.all([settings.load(), fields.load(), types.load()]);
  await Promise.all([load(), settings.loadTeams()]);
  const live = watch(projectEvents(id), load,
    ({ type }) => type === "members.changed" || type.startsWith("field.") || type.startsWith("card_type."));
  return { settings, fields, types, live };
}

export default function ProjectSettingsPage({ parameters: { project = "" } }: PageProps) {
  return (
    <PageState read={() => read(project)} keys={[project]} close={({ live }) => live.stop()}>
      {(value) => <Opened {...value} />}
    </PageState>
  );
}

function Opened({ settings, fields, types, live }: Awaited<ReturnType<typeof read>>) {
  const { opened, owner, role, manages } = settings;
  const project = settings.project.value;
  const title = text.settings.title;
  usePlace({ ...projectPlace({ ...opened, project }, "/settings", title), live: live.state.value },
    [project, live.state.value]);
  return (
    <div class="page">
      <h1>{title}</h1>
      {!manages.value && <p class="soft">{text.settings.managed(text.roles.project[role.value] ?? role.value)}</p>}
      <General settings={settings} />
      <People settings={settings} />
      {owner && <Boards settings={settings} />}
      <CardTypes types={types} role={role.value} />
      <Fields fields={fields} role={role.value} />
      <Clone settings={settings} />
      <End settings={settings} />
    </div>
  );
}

function Clone({ settings }: { settings: ProjectSettings }) {
  const { id, ownerSlug, projectSlug } = settings.project.value;
  const address = `${location.origin}/git/${ownerSlug}/${projectSlug}.git`;
  const helper = '!f() { echo username=git; echo "password=$ATELIER_KEY"; }; f';
  return (
    <section aria-labelledby="clone">
      <h2 id="clone">{text.settings.clone}</h2>
      <p class="lead">{text.settings.cloneHelp}</p>
      <Copied label={text.settings.program} value={`atelier clone ${id}`} />
      <Copied label={text.settings.address} value={address} />
      <Copied label={text.settings.git} value={`git -c credential.helper='${helper}' clone ${address}`} />
    </section>
  );
}

function End({ settings }: { settings: ProjectSettings }) {
  const { owner, transfers } = settings;
  const { id, name, ownerSlug } = settings.project.value;
  const manages = settings.manages.value;
  const askDelete = () => confirm({ title: text.settings.delete, says: text.settings.deleteSays, name,
    action: text.settings.delete, async send() {
      await deleteProject(id);
      open("/projects");
    } });
  return (
    <section class="danger" aria-labelledby="end">
      <h2 id="end">{text.settings.danger}</h2>
      <p>{text.settings.owned(owner?.name ?? ownerSlug)}</p>
      {!transfers && !manages && <p class="soft">{text.settings.notYours}</p>}
      <div class="sets">
        {transfers && <Button name={text.settings.transfer} onClick={() => askTransfer(settings)} />}
        {manages && <Button name={text.settings.delete} kind="bad" onClick={askDelete} />}
      </div>
    </section>
  );
}
