// The caller's account, and the invitations to them.

import { useRef } from "preact/hooks";
import { signOut } from "../../../api/session";
import { signOutEverywhere } from "../../../api/people/account";
import { tellFailure } from "../../../model/messages";
import { OwnAccount } from "../../../model/people/own-account";
import { pictures } from "../../../model/people/pictures";
import { text } from "../../../text";
import { Avatar } from "../../../ui/avatar";
import { BusyButton } from "../../../ui/busy-button";
import { Button } from "../../../ui/button";
import { Field, Form } from "../../../ui/form";
import { usePlace } from "../../../ui/place";
import { squareOf } from "../../../ui/square-picture";
import { Time } from "../../../ui/time";
import { confirm } from "../../parts/confirm";
import { OwnInvitations } from "../../parts/own-invitations";
import { PageState } from "../../parts/page-state";
import { accountPlace } from "../../parts/people-place";

export default function AccountPage() {
  usePlace(accountPlace("/account", text.account.title), []);
  return (
    <PageState read={() => OwnAccount.open()} keys={[]}>
      {(account) => <Opened account={account} />}
    </PageState>
  );
}

function Opened({ account }: { account: OwnAccount }) {
  const user = account.user.value;
  return (
    <div class="page">
      <div class="heading">
        <Avatar name={user.name} of={user.id} decorative />
        <h1 dir="auto">{user.name}</h1>
      </div>
      <dl class="facts">
        <dt>{text.account.email}</dt>
        <dd>{user.email}</dd>
        <dt>{text.account.slug}</dt>
        <dd>{user.slug}</dd>
        <dt>{text.account.since}</dt>
        <dd><Time iso={user.createdAt} /></dd>
      </dl>
      <p class="soft">{text.account.emailHelp}</p>
      <OwnPicture account={account} />
      <Form key={user.name} class="form narrow" action={text.settings.save}
        send={(form) => account.rename(String(form.get("name")))}>
        <Field label={text.account.name} name="name" value={user.name} required autocomplete="name"
          help={text.account.nameHelp} />
      </Form>
      <CommitEmail account={account} />
      <section aria-labelledby="own-invitations">
        <h2 id="own-invitations">{text.invitations.title}</h2>
        <OwnInvitations account={account} />
      </section>
      <SignIns />
    </div>
  );
}

/** The person's picture: a file of any size, of whose middle the page makes a square. */
function OwnPicture({ account }: { account: OwnAccount }) {
  const picker = useRef<HTMLInputElement>(null);
  const isThere = pictures.of(account.user.value.id).value !== "";
  const take = async (input: HTMLInputElement) => {
    const [file] = input.files ?? [];
    // So that the same file can be chosen again.
    input.value = "";
    if (file) await account.setPicture(await squareOf(file) ?? file);
  };
  return (
    <div class="setting">
      <div>
        <p>{text.account.picture}</p>
        <p class="help">{text.account.pictureHelp}</p>
      </div>
      <div class="actions">
        {isThere && <BusyButton name={text.account.clearPicture}
          run={() => account.clearPicture().catch(tellFailure)} />}
        <Button name={isThere ? text.account.otherPicture : text.account.addPicture} icon="picture"
          onClick={() => picker.current?.click()} />
        <input ref={picker} type="file" accept="image/png,image/jpeg,image/webp" hidden
          aria-label={text.account.picture} onChange={(event) => void take(event.currentTarget).catch(tellFailure)} />
      </div>
    </div>
  );
}

/** The person's sign-ins, and their end. */
function SignIns() {
  return (
    <section aria-labelledby="sign-ins">
      <h2 id="sign-ins">{text.account.signIns}</h2>
      <div class="setting">
        <p class="help">{text.account.signOut}</p>
        <div class="actions">
          <Button name={text.frame.signOut} icon="out" onClick={() => void signOut()} />
          <Button name={text.account.everywhere} kind="bad" onClick={askSignOutEverywhere} />
        </div>
      </div>
    </section>
  );
}

/** The address that new commits of the person name. */
function CommitEmail({ account }: { account: OwnAccount }) {
  const { commitEmail, showEmailInCommits: shows } = account.user.value;
  const name = shows ? text.account.hideEmail : text.account.showEmail;
  return (
    <section aria-labelledby="commit-email">
      <h2 id="commit-email">{text.account.commitEmail}</h2>
      <div class="setting">
        <div>
          <p>{commitEmail}</p>
          <p class="help">{text.account.commitHelp}</p>
        </div>
        <Button name={name} onClick={() => account.showEmail(!shows)} />
      </div>
    </section>
  );
}

function askSignOutEverywhere(): void {
  confirm({
    title: text.account.everywhereTitle,
    says: text.account.everywhereSays,
    action: text.account.everywhere,
    send: signOutEverywhere,
  });
}
