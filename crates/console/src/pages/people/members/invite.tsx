// Inviting a person by a link.

import { invitationLink } from "../../../api/people/invitation";
import type { Invitation, Role } from "../../../api/people/organizations";
import { newKey } from "../../../api/persist";
import type { Members } from "../../../model/people/members";
import { text } from "../../../text";
import { Button } from "../../../ui/button";
import { ask, openDialog } from "../../../ui/dialog";
import { Field } from "../../../ui/form";
import { Select } from "../../../ui/picker";
import { Copied } from "../../parts/copied";

const DAYS = ["1", "7", "30"];

/** Asks whom to invite, and shows the link. */
export function askInvite(members: Members): void {
  const once = newKey();
  ask({
    title: text.invitations.make,
    action: text.invitations.makes,
    cancel: text.cancel,
    fields: (
      <>
        <Select label={text.members.role} name="role" value="member" help={text.roles.help}
          choices={members.invitable.map((role) => ({ value: role, name: text.roles.organization[role] ?? role }))} />
        <Field label={text.invitations.email} name="email" type="email" help={text.invitations.emailHelp} />
        <Select label={text.keys.expiry} name="days" value="7"
          choices={DAYS.map((count) => ({ value: count, name: text.keys.days(count) }))} />
      </>
    ),
    send: async (form) => {
      const [role, email] = [form.get("role") as Role, String(form.get("email")).trim()];
      const { invitation, secret } = await members.invite(role, email, Number(form.get("days")), once);
      const names = { organization: members.organization.peek().name, inviter: members.caller.name, role };
      showLink(invitationLink(secret, names, location.origin), invitation.mail);
    },
  });
}

function showLink(link: string, mail: Invitation["mail"]): void {
  openDialog(
    (close) => (
      <div class="form">
        <h2>{text.invitations.made}</h2>
        <p class="warned">{text.invitations.once}</p>
        {mail && <p>{text.invitations.mail[mail]}</p>}
        <Copied label={text.invitations.link} value={link} />
        <div class="actions"><Button name={text.close} kind="primary" onClick={close} /></div>
      </div>
    ),
    { label: text.invitations.made },
  );
}
