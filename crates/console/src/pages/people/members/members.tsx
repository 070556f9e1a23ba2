// An organization's members with their roles, and the open invitations to it.

import type { Invitation, Member, Role } from "../../../api/people/organizations";
import { Members } from "../../../model/people/members";
import { text } from "../../../text";
import { useActions } from "../../../ui/actions";
import { Button } from "../../../ui/button";
import { Entries, Entry } from "../../../ui/entries";
import { InlineSelect } from "../../../ui/inline-select";
import { usePlace } from "../../../ui/place";
import { useWhenSeen } from "../../../ui/seen";
import { Time } from "../../../ui/time";
import type { PageProps } from "../../parts/page-props";
import { PageState } from "../../parts/page-state";
import { organizationPlace } from "../../parts/people-place";
import { askInvite } from "./invite";
import { askLeave, remove } from "./remove";

const choiceOf = (role: Role) => ({ value: role, name: text.roles.organization[role] ?? role });

export default function MembersPage({ parameters: { org = "" } }: PageProps) {
  return (
    <PageState read={() => Members.open(org)} keys={[org]}>
      {(members) => <Opened members={members} />}
    </PageState>
  );
}

function Opened({ members }: { members: Members }) {
  const organization = members.organization.value;
  usePlace(organizationPlace(organization, "", text.members.title), [organization]);
  useWhenSeen(() => members.reload(), [members]);
  const invite = () => askInvite(members);
  const action = { name: text.invitations.make, icon: "plus", group: text.members.title, run: invite };
  useActions(() => (members.manages ? [action] : []));
  return (
    <div class="page">
      <div class="heading">
        <h1 dir="auto">{organization.name}</h1>
        {members.manages && <Button name={text.invitations.make} icon="plus" kind="primary" onClick={invite} />}
      </div>
      <Entries label={text.members.title}>
        {members.shown.value.map((one) => <MemberEntry key={one.userId} members={members} one={one} />)}
      </Entries>
      {members.manages && <Invitations members={members} />}
    </div>
  );
}

function MemberEntry({ members, one }: { members: Members; one: Member }) {
  const isSelf = members.isSelf(one);
  const below = <>{one.email && `${one.email} · `}{text.members.joined} <Time iso={one.joinedAt} /></>;
  const mayRemove = isSelf || members.mayChange(one);
  return (
    <Entry name={one.name} of={one.userId} icon={one.kind === "service" ? "robot" : undefined} below={below}
      note={isSelf ? text.people.you : undefined}>
      <InlineSelect label={text.members.roleOf(one.name)} value={one.role} disabled={!members.mayChange(one)}
        choices={members.rolesFor(one).map(choiceOf)} onChange={(role) => void members.change(one, role as Role)} />
      {mayRemove && <Button name={isSelf ? text.members.leave : text.members.remove} kind="bad"
        onClick={() => (isSelf ? askLeave(members) : remove(members, one))} />}
    </Entry>
  );
}

function Invitations({ members }: { members: Members }) {
  return (
    <section aria-labelledby="invitations">
      <h2 id="invitations">{text.invitations.title}</h2>
      <Entries label={text.invitations.title} empty={text.invitations.none}>
        {members.shownInvitations.value.map((one) => <InvitationEntry key={one.id} members={members} one={one} />)}
      </Entries>
    </section>
  );
}

function InvitationEntry({ members, one }: { members: Members; one: Invitation }) {
  const isUnsent = one.mail === "limited" || one.mail === "failed";
  const below = (
    <>
      {text.roles.organization[one.role]}
      {one.invitedByName && ` · ${text.invitations.by(one.invitedByName)}`}
      {" · "}{text.keys.ends} <Time iso={one.expiresAt} />
      {isUnsent && ` · ${text.invitations.notMailed}`}
    </>
  );
  return (
    <Entry name={one.email ?? text.invitations.bearer} icon={one.email ? undefined : "key"} below={below}>
      <Button name={text.keys.revoke} kind="bad" onClick={() => members.revoke(one)} />
    </Entry>
  );
}
