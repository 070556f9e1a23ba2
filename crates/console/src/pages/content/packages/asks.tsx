// Questions about packages: what is published, what is withdrawn, and what is included.

import type { Package } from "../../../api/content/packages";
import { newKey } from "../../../api/persist";
import { tell } from "../../../model/messages";
import type { Packages } from "../../../model/content/packages";
import { text } from "../../../text";
import { ask } from "../../../ui/dialog";
import { Field } from "../../../ui/form";
import { Select } from "../../../ui/picker";
import { confirm } from "../../parts/confirm";

export async function askPublish(packages: Packages): Promise<void> {
  const objects = await packages.publishable();
  ask({
    title: text.packages.publish,
    action: text.packages.publishes,
    cancel: text.cancel,
    fields: <>
      <Select label={text.packages.object} name="object"
        choices={objects.map(({ id, name }) => ({ value: id, name }))} />
      <Field label={text.packages.description} name="description" />
    </>,
    send: (form) => packages.publish(String(form.get("object")), String(form.get("description"))),
  });
}

export function askWithdraw(packages: Packages, { id, name }: Package): void {
  confirm({
    title: text.packages.withdraws(name),
    says: text.packages.withdrawHelp,
    action: text.packages.withdraw,
    async send() {
      await packages.withdraw(id);
      tell(text.packages.withdrawn);
    },
  });
}

export function askInclude(packages: Packages): void {
  const key = newKey();
  ask({
    title: text.packages.include,
    action: text.packages.includes,
    cancel: text.cancel,
    fields: <Field label={text.packages.reference} name="ref" help={text.packages.referenceHelp} required />,
    send: (form) => packages.include(String(form.get("ref")), key),
  });
}
