// With whom a project is shared.

import type { ProjectMember, ProjectRole } from "../../../api/content/projects";
import { tell, tellFailure } from "../../../model/messages";
import type { ProjectSettings } from "../../../model/content/project-settings";
import { text } from "../../../text";
import { Button } from "../../../ui/button";
import { ask } from "../../../ui/dialog";
import { Entries, Entry } from "../../../ui/entries";
import { InlineSelect } from "../../../ui/inline-select";
import { Select } from "../../../ui/picker";
import { confirm } from "../../parts/confirm";

const ROLES = ["viewer", "editor", "manager"].map((value) => ({ value, name: text.roles.project[value] ?? value }));
const ICONS: Record<string, string> = { service: "robot" };
const MANY = 8;

export function People({ settings }: { settings: ProjectSettings }) {
  return (
    <section aria-labelledby="sharing">
      <div class="heading">
        <h2 id="sharing">{text.settings.sharing}</h2>
        {settings.manages.value && <Button name={text.settings.share} icon="plus"
          onClick={() => askShare(settings).catch(tellFailure)} />}
      </div>
      <Entries label={text.settings.sharing} empty={text.settings.alone}>
        {settings.members.value.map((member) => <Member key={member.userId} member={member} settings={settings} />)}
      </Entries>
    </section>
  );
}

function Member({ member, settings }: { member: ProjectMember; settings: ProjectSettings }) {
  const { userId, name, kind, role, isDirect } = member;
  const { owner, opened, manages } = settings;
  const way = isDirect ? text.settings.direct : owner ? text.settings.through(owner.name) : text.settings.owns;
  const isChanged = isDirect && manages.value;
  const isSelf = userId === opened.caller.id;
  // Who gives up their own access can't take that back.
  const remove = () => (isSelf ? confirm({ title: text.members.removes(name), says: text.settings.removeSays,
    action: text.members.remove, send: () => settings.remove(member) }) : settings.remove(member));
  return (
    <Entry name={name} of={userId} icon={ICONS[kind]} below={way} note={isSelf ? text.people.you : undefined}>
      <InlineSelect label={text.members.roleOf(name)} choices={ROLES} value={role} disabled={!isChanged}
        onChange={(now) => void settings.setRole(member, now as ProjectRole)} />
      {isChanged && <Button name={text.members.remove} kind="bad" onClick={remove} />}
    </Entry>
  );
}

async function askShare(settings: ProjectSettings): Promise<void> {
  const people = [...await settings.people()].map(([value, name]) => ({ value, name }));
  if (people.length === 0) return void tell(text.settings.nobody);
  ask({
    title: text.settings.share,
    action: text.settings.shares,
    cancel: text.cancel,
    fields: <>
      <Select label={text.people.person} name="person" choices={people}
        {...(people.length > MANY ? { find: text.settings.findPerson } : {})} />
      <Select label={text.members.role} name="role" choices={ROLES} value="editor" help={text.roles.projectHelp} />
    </>,
    send: (form) => settings.share(String(form.get("person")), form.get("role") as ProjectRole),
  });
}
