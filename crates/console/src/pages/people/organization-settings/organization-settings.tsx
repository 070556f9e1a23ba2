// An organization's name, and its end.

import { useSignal } from "@preact/signals";
import {
  countProjects,
  deleteOrganization,
  readOrganization,
  renameOrganization,
  type Organization,
} from "../../../api/people/organizations";
import { readTeams } from "../../../api/places";
import { tell, tellFailure } from "../../../model/messages";
import { record } from "../../../model/undo";
import { text } from "../../../text";
import { open } from "../../../ui/address";
import { BusyButton } from "../../../ui/busy-button";
import { Field, Form } from "../../../ui/form";
import { usePlace } from "../../../ui/place";
import { confirm } from "../../parts/confirm";
import type { PageProps } from "../../parts/page-props";
import { PageState } from "../../parts/page-state";
import { organizationPlace } from "../../parts/people-place";

export default function OrganizationSettingsPage({ parameters: { org = "" } }: PageProps) {
  return (
    <PageState read={() => readOrganization(org)} keys={[org]}>
      {(organization) => <Opened first={organization} />}
    </PageState>
  );
}

function Opened({ first }: { first: Organization }) {
  const organization = useSignal(first);
  const { id, name, slug, role } = organization.value;
  usePlace(organizationPlace(organization.value, "/settings", text.settings.title), [organization.value]);
  const rename = async (now: string) => {
    const before = organization.peek().name;
    organization.value = await renameOrganization(id, now);
    if (now !== before) record({ name: text.organizations.name, undo: () => rename(before) });
  };
  const send = async (form: FormData) => {
    await rename(String(form.get("name")));
    tell(text.settings.saved);
  };
  return (
    <div class="page">
      <h1>{text.settings.title}</h1>
      <Form key={name} class="form narrow" action={text.settings.save} send={send}>
        <Field label={text.organizations.name} name="name" value={name} required
          help={text.organizations.slugHelp(slug)} />
      </Form>
      {role === "owner" && <Ending organization={organization.value} />}
    </div>
  );
}

function Ending({ organization }: { organization: Organization }) {
  return (
    <section class="danger" aria-labelledby="end">
      <h2 id="end">{text.organizations.delete}</h2>
      <p>{text.organizations.deleteHelp}</p>
      <div><BusyButton name={text.organizations.deletes} kind="bad"
        run={() => askDelete(organization).catch(tellFailure)} /></div>
    </section>
  );
}

async function askDelete({ id, name }: Organization): Promise<void> {
  const [projects, teams] = await Promise.all([countProjects(id), readTeams(id)]);
  if (projects + teams.length > 0) return void tell(text.organizations.notEmpty(projects, teams.length), { bad: true });
  confirm({
    title: text.organizations.deletes,
    says: text.organizations.deleteSays,
    name,
    action: text.organizations.delete,
    send: async () => {
      await deleteOrganization(id);
      open("/orgs");
    },
  });
}
