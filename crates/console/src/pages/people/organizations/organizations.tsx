// The caller's organizations.

import { createOrganization } from "../../../api/people/organizations";
import { newKey } from "../../../api/persist";
import { readOrganizations, type Organization } from "../../../api/places";
import { text } from "../../../text";
import { useActions } from "../../../ui/actions";
import { open } from "../../../ui/address";
import { Button } from "../../../ui/button";
import { ask } from "../../../ui/dialog";
import { Empty } from "../../../ui/empty";
import { Field } from "../../../ui/form";
import { Icon } from "../../../ui/icon";
import { usePlace } from "../../../ui/place";
import { Time } from "../../../ui/time";
import { PageState } from "../../parts/page-state";
import { accountPlace } from "../../parts/people-place";

export default function OrganizationsPage() {
  usePlace(accountPlace("/orgs", text.organizations.title), []);
  useActions(() => [{ name: text.organizations.create, icon: "plus", group: text.organizations.title, run: create }]);
  return (
    <PageState read={readOrganizations} keys={[]}>
      {(organizations) => <List organizations={organizations} />}
    </PageState>
  );
}

function List({ organizations }: { organizations: readonly Organization[] }) {
  const add = <Button name={text.organizations.create} icon="plus" kind="primary" onClick={create} />;
  const isEmpty = organizations.length === 0;
  return (
    <div class="page">
      <div class="heading"><h1>{text.organizations.title}</h1>{!isEmpty && add}</div>
      {isEmpty && <Empty icon="people"><p>{text.organizations.empty}</p>{add}</Empty>}
      <ul class="rows">
        {organizations.map(({ id, name, slug, role, createdAt }) => (
          <li key={id}>
            <a class="row" href={`/orgs/${id}`}>
              <Icon name="people" />
              <span class="name" dir="auto">{name}</span>
              <span class="soft">{slug}</span>
              <span class="soft">{text.roles.organization[role] ?? role}</span>
              <span class="soft"><Time iso={createdAt} /></span>
            </a>
          </li>
        ))}
      </ul>
    </div>
  );
}

function create(): void {
  const key = newKey();
  ask({
    title: text.organizations.create,
    action: text.organizations.makes,
    cancel: text.cancel,
    fields: <Field label={text.organizations.name} name="name" required help={text.organizations.nameHelp} />,
    send: async (form) => open(`/orgs/${(await createOrganization(String(form.get("name")), key)).id}`),
  });
}
