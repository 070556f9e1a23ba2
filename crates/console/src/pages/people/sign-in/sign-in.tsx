// The page for signing in. It says what the product is.

import { readCaller } from "../../../api/places";
import { reasonOf } from "../../../api/errors";
import { invitationNames } from "../../../api/people/invitation";
import { local } from "../../../api/local";
import { isSignedIn, signInAtIssuer, useToken as takeToken } from "../../../api/session";
import { settings } from "../../../api/settings";
import { text } from "../../../text";
import { useSignal } from "@preact/signals";
import { search } from "../../../ui/address";
import { Button } from "../../../ui/button";
import { Field, Form } from "../../../ui/form";
import { Icon } from "../../../ui/icon";
import { usePlace } from "../../../ui/place";

const PRODUCT = [
  { icon: "history", says: text.signIn.product.files },
  { icon: "board", says: text.signIn.product.boards },
  { icon: "agent", says: text.signIn.product.agents },
];

export default function SignIn() {
  usePlace({ title: text.signIn.title, crumbs: [], navigation: [] }, []);
  return (
    <section class="sign-in">
      <Icon name="part" />
      <h1>{text.signIn.title}</h1>
      {search.value.has("ended") ? <p class="warned" role="status">{text.signIn.ended}</p> : <Lead />}
      <p class="failure" role="alert">{search.value.get("notice")}</p>
      <Way to={local(search.value.get("to"))} />
      <ul class="product">
        {PRODUCT.map(({ icon, says }) => <li key={icon}><Icon name={icon} /><span>{says}</span></li>)}
      </ul>
    </section>
  );
}

/** The product in a sentence; to a person who opened an invitation, who invites them. */
function Lead() {
  const names = invitationNames();
  if (!names) return <p class="lead">{text.signIn.lead}</p>;
  const role = text.roles.organization[names.role] ?? names.role;
  return (
    <p class="lead" dir="auto">
      {text.invitations.invites(names.inviter, names.organization, role)} {text.signIn.toJoin}
    </p>
  );
}

/** How this deployment signs people in. */
function Way({ to }: { to: string }) {
  switch (settings.signIn.kind) {
    case "issuer": return <AtIssuer to={to} />;
    case "issuerAway": return (
      <div>
        <p>{text.signIn.issuerAway}</p>
        <Button name={text.errors.again} kind="primary wide" onClick={() => location.reload()} />
      </div>
    );
    case "unavailable": return <p>{text.signIn.unavailable}</p>;
    case "development": return <WithToken to={to} />;
  }
}

function AtIssuer({ to }: { to: string }) {
  const failure = useSignal("");
  const go = () => signInAtIssuer(to).catch((error: unknown) => { failure.value = reasonOf(error); });
  return (
    <div>
      <p class="failure" role="alert">{failure.value}</p>
      <Button name={text.signIn.withIssuer} kind="primary wide" onClick={go} />
    </div>
  );
}

function WithToken({ to }: { to: string }) {
  const send = async (form: FormData) => {
    takeToken(String(form.get("token")));
    try {
      await readCaller();
    } catch (error) {
      throw isSignedIn.peek() ? error : new Error(text.signIn.refused);
    }
    // The page begins again: the tab may have shown another person.
    location.replace(to);
  };
  return (
    <Form action={text.signIn.withToken} wide send={send}>
      <p>{text.signIn.development}</p>
      <Field label={text.signIn.token} name="token" type="password" required />
    </Form>
  );
}
