// The page where an invited person joins: by the link that they opened, or by an invitation to their address.

import { useSignal } from "@preact/signals";
import { acceptInvitation, type Invitation } from "../../../api/people/account";
import { ApiError, reasonOf } from "../../../api/errors";
import { forgetInvitation, invitation as keptInvitation } from "../../../api/people/invitation";
import { tell } from "../../../model/messages";
import { openLinked, type LinkedInvitation } from "../../../model/people/linked-invitation";
import { OwnAccount } from "../../../model/people/own-account";
import { text } from "../../../text";
import { open } from "../../../ui/address";
import { BusyButton } from "../../../ui/busy-button";
import { Button } from "../../../ui/button";
import { Icon } from "../../../ui/icon";
import { usePlace } from "../../../ui/place";
import { OwnInvitations } from "../../parts/own-invitations";
import { PageState } from "../../parts/page-state";

export default function InvitationPage() {
  const secret = keptInvitation();
  usePlace({ title: secret ? text.invitations.page : text.invitations.title, crumbs: [], navigation: [] }, [secret]);
  return secret ? (
    <PageState read={() => openLinked(secret)} keys={[secret]}>
      {(linked) => <ByLink linked={linked} secret={secret} />}
    </PageState>
  ) : (
    <PageState read={() => OwnAccount.open()} keys={[]}>
      {(account) => <Addressed account={account} />}
    </PageState>
  );
}

/** Without a link: the invitations that are addressed to the person. */
function Addressed({ account }: { account: OwnAccount }) {
  return (
    <div class="page">
      <h1>{text.invitations.title}</h1>
      <OwnInvitations account={account} />
      <p class="soft">{text.invitations.noSecret}</p>
      <p><a class="button" href="/account">{text.account.title}</a></p>
    </div>
  );
}

function ByLink({ linked: { user, invitation }, secret }: { linked: LinkedInvitation; secret: string }) {
  const failure = useSignal("");
  const join = async () => {
    failure.value = "";
    try {
      const organization = await acceptInvitation({ secret });
      forgetInvitation();
      tell(text.invitations.joined(organization.name));
      open(`/orgs/${organization.id}`, { replace: true });
    } catch (error) {
      const isRefused = error instanceof ApiError && error.status === 400;
      if (isRefused || (error instanceof ApiError && error.status === 409)) forgetInvitation();
      failure.value = isRefused ? text.invitations.refused : reasonOf(error);
    }
  };
  const leave = () => {
    forgetInvitation();
    open("/");
  };
  return (
    <section class="sign-in">
      <Icon name="people" />
      <h1>{text.invitations.page}</h1>
      {invitation ? <Invites invitation={invitation} />
        : <p class="warned" role="status">{text.invitations.refused}</p>}
      <p>{invitation ? text.invitations.joinsAs(user.name, user.email) : text.invitations.signedInAs(user.email)}</p>
      <p class="failure" role="alert">{failure.value}</p>
      {invitation && <BusyButton name={text.invitations.accept} kind="primary wide" run={join} />}
      <Button name={text.invitations.leave} kind="wide" onClick={leave} />
    </section>
  );
}

function Invites({ invitation: { invitedByName: inviter = "", orgName, role } }: { invitation: Invitation }) {
  const named = text.roles.organization[role] ?? role;
  return <p class="lead" dir="auto">{text.invitations.invites(inviter, orgName, named)}</p>;
}
