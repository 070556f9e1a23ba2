// Giving a project to another owner.

import { newKey } from "../../../api/persist";
import { transferProject } from "../../../api/content/projects";
import type { ProjectSettings } from "../../../model/content/project-settings";
import { text } from "../../../text";
import { ask } from "../../../ui/dialog";
import { Select } from "../../../ui/picker";

export function askTransfer(settings: ProjectSettings): void {
  const { id } = settings.opened.project;
  const key = newKey();
  ask({
    title: text.settings.transfer,
    action: text.settings.transfers,
    cancel: text.cancel,
    fields: <>
      <p>{text.settings.transferSays}</p>
      <Select label={text.projects.owner} name="owner"
        choices={settings.owners.map((owner) => ({ value: owner.id, name: owner.name }))} />
    </>,
    async send(form) {
      await transferProject(id, String(form.get("owner")), key);
      // Roles, people and boards are those of the new owner.
      location.reload();
    },
  });
}
