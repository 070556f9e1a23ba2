// An organization's teams.

import { signal } from "@preact/signals";
import { createTeam, deleteTeam, readOrganization, type Organization } from "../../../api/people/organizations";
import { newKey } from "../../../api/persist";
import { readTeams, type Team } from "../../../api/places";
import { manages, mayMakeTeams } from "../../../model/people/account";
import { text } from "../../../text";
import { useActions } from "../../../ui/actions";
import { Button } from "../../../ui/button";
import { ask } from "../../../ui/dialog";
import { Empty } from "../../../ui/empty";
import { Field } from "../../../ui/form";
import { Icon } from "../../../ui/icon";
import { Select } from "../../../ui/picker";
import { usePlace } from "../../../ui/place";
import { useWhenSeen } from "../../../ui/seen";
import { Time } from "../../../ui/time";
import { confirm } from "../../parts/confirm";
import type { PageProps } from "../../parts/page-props";
import { PageState } from "../../parts/page-state";
import { organizationPlace } from "../../parts/people-place";

async function openTeams(orgId: string) {
  const [organization, first] = await Promise.all([readOrganization(orgId), readTeams(orgId)]);
  const teams = signal<readonly Team[]>(first);
  const reload = async () => { teams.value = await readTeams(orgId); };
  return { organization, teams, reload };
}

type OpenTeams = Awaited<ReturnType<typeof openTeams>>;

export default function TeamsPage({ parameters: { org = "" } }: PageProps) {
  return (
    <PageState read={() => openTeams(org)} keys={[org]}>
      {(open) => <Opened {...open} />}
    </PageState>
  );
}

function Opened({ organization, teams, reload }: OpenTeams) {
  usePlace(organizationPlace(organization, "/teams", text.teams.title), [organization]);
  useWhenSeen(reload, [reload]);
  const create = () => askTeam(organization, reload);
  const [mayCreate, mayDelete] = [mayMakeTeams(organization), manages(organization)];
  const action = { name: text.teams.create, icon: "plus", group: text.teams.title, run: create };
  useActions(() => (mayCreate ? [action] : []));
  return (
    <div class="page">
      <div class="heading">
        <h1>{text.teams.title}</h1>
        {mayCreate && <Button name={text.teams.create} icon="plus" kind="primary" onClick={create} />}
      </div>
      {teams.value.length === 0 && <Empty icon="board"><p>{text.board.emptyList}</p></Empty>}
      <ul class="rows">
        {teams.value.map((team) => (
          <TeamRow key={team.id} team={team} remove={mayDelete ? () => askDelete(team, reload) : undefined} />
        ))}
      </ul>
    </div>
  );
}

function TeamRow({ team, remove }: { team: Team; remove: (() => void) | undefined }) {
  const { id, organization_id: org, name, visibility, updated_at: updatedAt } = team;
  return (
    <li class="row-place">
      <a class="row" href={`/orgs/${org}/teams/${id}/members`}>
        <Icon name="people" />
        <span class="name" dir="auto">{name}</span>
        <span class="soft">{visibility === "private" ? text.teams.private : text.teams.internal}</span>
        <span />
        <span class="soft"><Time iso={updatedAt} /></span>
      </a>
      {remove && <Button name={text.teams.deleteOf(name)} icon="bin" kind="plain small" quiet onClick={remove} />}
    </li>
  );
}

function askDelete({ id, organization_id: org, name }: Team, reload: () => Promise<void>): void {
  confirm({
    title: text.teams.deletes(name),
    says: text.teams.deleteSays,
    name,
    action: text.teams.delete,
    send: async () => {
      await deleteTeam(org, id);
      await reload();
    },
  });
}

function askTeam({ id }: Organization, reload: () => Promise<void>): void {
  const key = newKey();
  ask({
    title: text.teams.create,
    action: text.teams.makes,
    cancel: text.cancel,
    fields: (
      <>
        <Field label={text.teams.name} name="name" required />
        <Select label={text.teams.visibility} name="visibility" choices={[
          { value: "private", name: text.teams.private }, { value: "internal", name: text.teams.internal }]} />
      </>
    ),
    send: async (form) => {
      const visibility = form.get("visibility") as Team["visibility"];
      await createTeam(id, { name: String(form.get("name")), visibility }, key);
      await reload();
    },
  });
}
