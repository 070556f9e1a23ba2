// An organization's service accounts with their keys.

import { newKey } from "../../../api/persist";
import type { Role } from "../../../api/people/organizations";
import { ServiceAccounts, type ServiceAccount } from "../../../model/people/service-accounts";
import { text } from "../../../text";
import { useActions } from "../../../ui/actions";
import { Button } from "../../../ui/button";
import { ask } from "../../../ui/dialog";
import { Entry } from "../../../ui/entries";
import { Field } from "../../../ui/form";
import { Select } from "../../../ui/picker";
import { usePlace } from "../../../ui/place";
import { askKey } from "../../parts/key-dialogs";
import { KeyEntry } from "../../parts/key-entry";
import type { PageProps } from "../../parts/page-props";
import { PageState } from "../../parts/page-state";
import { organizationPlace } from "../../parts/people-place";

const ROLES: readonly Role[] = ["guest", "member", "admin"];

export default function ServiceAccountsPage({ parameters: { org = "" } }: PageProps) {
  return (
    <PageState read={() => ServiceAccounts.open(org)} keys={[org]}>
      {(accounts) => <Opened accounts={accounts} />}
    </PageState>
  );
}

function Opened({ accounts }: { accounts: ServiceAccounts }) {
  usePlace(organizationPlace(accounts.organization, "/keys", text.keys.accounts), [accounts]);
  const add = () => askAccount(accounts);
  useActions(() => [{ name: text.keys.addAccount, icon: "plus", group: text.keys.accounts, run: add }]);
  const all = accounts.shown.value;
  return (
    <div class="page">
      <div class="heading">
        <h1>{text.keys.accounts}</h1>
        <Button name={text.keys.addAccount} icon="plus" kind="primary" onClick={add} />
      </div>
      <p class="lead">{text.keys.accountsLead}</p>
      <div class="accounts">
        {all.length === 0 && <p class="soft none">{text.keys.noAccounts}</p>}
        {all.map((account) => <Account key={account.member.userId} accounts={accounts} account={account} />)}
      </div>
    </div>
  );
}

function Account({ accounts, account }: { accounts: ServiceAccounts; account: ServiceAccount }) {
  const { member: { name, role }, keys } = account;
  return (
    <section aria-label={name}>
      <ul class="entries">
        <Entry name={name} icon="robot" below={text.roles.organization[role]}>
          <Button name={text.keys.add} icon="plus" onClick={() => askKey(keys, text.keys.addFor(name))} />
          <Button name={text.members.remove} kind="bad" onClick={() => accounts.remove(account)} />
        </Entry>
        {keys.shown.value.map((own) => <KeyEntry key={own.id} keys={keys} own={own} />)}
      </ul>
    </section>
  );
}

function askAccount(accounts: ServiceAccounts): void {
  const once = newKey();
  ask({
    title: text.keys.addAccount,
    action: text.keys.makesAccount,
    cancel: text.cancel,
    fields: (
      <>
        <Field label={text.keys.accountName} name="name" required />
        <Select label={text.members.role} name="role" value="member" help={text.roles.help}
          choices={ROLES.map((role) => ({ value: role, name: text.roles.organization[role] ?? role }))} />
      </>
    ),
    send: (form) => accounts.create(String(form.get("name")), form.get("role") as Role, once),
  });
}
