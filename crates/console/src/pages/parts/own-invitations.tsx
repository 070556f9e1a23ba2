// The open invitations to the caller, each with its organization and role.

import type { Invitation } from "../../api/people/account";
import { tellFailure } from "../../model/messages";
import type { OwnAccount } from "../../model/people/own-account";
import { text } from "../../text";
import { open } from "../../ui/address";
import { BusyButton } from "../../ui/busy-button";
import { Entries, Entry } from "../../ui/entries";
import { Time } from "../../ui/time";

export function OwnInvitations({ account }: { account: OwnAccount }) {
  return (
    <Entries label={text.invitations.title} empty={text.invitations.noneOwn}>
      {account.invitations.value.map((invitation) => (
        <Invited key={invitation.id} account={account} invitation={invitation} />
      ))}
    </Entries>
  );
}

function Invited({ account, invitation }: { account: OwnAccount; invitation: Invitation }) {
  const { orgName, role, expiresAt, invitedByName: inviter } = invitation;
  const from = inviter ? ` · ${text.invitations.by(inviter)}` : "";
  const join = () => account.accept(invitation).then(open, tellFailure);
  return (
    <Entry name={orgName}
      below={<>{text.roles.organization[role]}{from} · {text.keys.ends} <Time iso={expiresAt} /></>}>
      <BusyButton name={text.invitations.accept} kind="primary" run={join} />
    </Entry>
  );
}
