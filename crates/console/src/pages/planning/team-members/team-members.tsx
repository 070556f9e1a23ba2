// The members of a team, with their roles.

import type { TeamMember, TeamRole } from "../../../api/people/members";
import { tell, tellFailure } from "../../../model/messages";
import { mayManage, openTeamMembers } from "../../../model/planning/team-members";
import type { OpenTeamMembers, TeamMembers } from "../../../model/planning/team-members";
import { text } from "../../../text";
import { useActions } from "../../../ui/actions";
import { BusyButton } from "../../../ui/busy-button";
import { Button } from "../../../ui/button";
import { ask } from "../../../ui/dialog";
import { Entries, Entry } from "../../../ui/entries";
import { InlineSelect } from "../../../ui/inline-select";
import { Select } from "../../../ui/picker";
import { usePlace } from "../../../ui/place";
import { confirm } from "../../parts/confirm";
import type { PageProps } from "../../parts/page-props";
import { PageState } from "../../parts/page-state";
import { teamPlace } from "../../parts/team-place";

const MANY = 8;
const ROLES = (["member", "manager"] as const).map((value) => ({ value, name: text.roles.team[value] ?? value }));

export default function TeamMembersPage({ parameters: { org = "", team = "" } }: PageProps) {
  return (
    <PageState read={() => openTeamMembers({ orgId: org, teamId: team })} keys={[org, team]}
      close={({ live }) => live.stop()}>
      {(open) => <Opened {...open} />}
    </PageState>
  );
}

function Opened({ members, opened, live }: OpenTeamMembers) {
  const title = text.teams.members;
  const manages = mayManage(opened, members.all.value);
  const add = () => askMember(members).catch(tellFailure);
  usePlace({ ...teamPlace(opened, "/members", title, { name: title }), live: live.state.value },
    [members, live.state.value]);
  useActions(() => (manages ? [{ name: text.teams.add, icon: "plus", group: title, run: add }] : []));
  return (
    <div class="page">
      <div class="heading">
        <h1>{title}</h1>
        {manages && <BusyButton name={text.teams.add} icon="plus" kind="primary" run={add} />}
      </div>
      <Entries label={title} empty={text.teams.noMembers}>
        {members.all.value.map((one) => (
          <MemberEntry key={one.userId} one={one} members={members} manages={manages}
            isSelf={one.userId === opened.caller.id} />
        ))}
      </Entries>
      <p><a href={`/orgs/${opened.path.orgId}/teams`}>{text.teams.all}</a></p>
    </div>
  );
}

interface MemberEntryProps {
  one: TeamMember;
  members: TeamMembers;
  manages: boolean;
  isSelf: boolean;
}

function MemberEntry({ one, members, manages, isSelf }: MemberEntryProps) {
  // Who leaves can't come back alone.
  const remove = () => (isSelf ? confirm({ title: text.members.removes(one.name), says: text.teams.removeSays,
    action: text.members.remove, send: () => members.remove(one) }) : members.remove(one));
  return (
    <Entry name={one.name} of={one.userId} icon={one.kind === "service" ? "robot" : undefined}
      note={isSelf ? text.people.you : undefined}>
      <InlineSelect label={text.members.roleOf(one.name)} value={one.role} choices={ROLES} disabled={!manages}
        onChange={(role) => void members.change(one, role as TeamRole)} />
      {manages && <Button name={text.members.remove} kind="bad" onClick={remove} />}
    </Entry>
  );
}

async function askMember(members: TeamMembers): Promise<void> {
  const others = await members.others();
  if (others.length === 0) return void tell(text.teams.everybody);
  ask({
    title: text.teams.add,
    action: text.teams.adds,
    cancel: text.cancel,
    fields: (
      <>
        <Select label={text.people.person} name="person" choices={others.map(({ id, name }) => ({ value: id, name }))}
          {...(others.length > MANY ? { find: text.card.findPerson } : {})} />
        <Select label={text.members.role} name="role" choices={ROLES} />
      </>
    ),
    send: (form) => members.add(String(form.get("person")), form.get("role") as TeamRole),
  });
}
