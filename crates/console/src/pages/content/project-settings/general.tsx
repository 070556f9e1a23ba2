// The name of a project, what it is, and who sees it.

import type { Visibility } from "../../../api/content/projects";
import type { ProjectSettings } from "../../../model/content/project-settings";
import { text } from "../../../text";
import { Field, Form } from "../../../ui/form";
import { Select } from "../../../ui/picker";

export function General({ settings }: { settings: ProjectSettings }) {
  const { name, key, description, visibility } = settings.project.value;
  const nameOf = (kind: string) => (text.projects.visibility as Record<string, string>)[kind] ?? kind;
  if (!settings.manages.value) return <Read settings={settings} />;
  const send = (form: FormData) => settings.save({ name: String(form.get("name")), key: String(form.get("key")) || null,
    description: String(form.get("description")), visibility: form.get("visibility") as Visibility });
  return (
    <Form action={text.settings.save} send={send}>
      <Field label={text.projects.name} name="name" value={name} required />
      <Field label={text.settings.key} name="key" value={key ?? ""}
        help={text.settings.keyHelp(key ?? text.settings.someKey)} />
      <Field label={text.settings.description} name="description" value={description} rows={3} />
      <Select label={text.settings.visibility} name="visibility" value={visibility}
        choices={settings.kinds.map((kind) => ({ value: kind, name: nameOf(kind) }))}
        help={text.settings.visibilityHelp} />
    </Form>
  );
}

/** The same for those who may not change it. */
function Read({ settings }: { settings: ProjectSettings }) {
  const { name, key, description, visibility } = settings.project.value;
  return (
    <dl class="facts">
      <dt>{text.projects.name}</dt><dd dir="auto">{name}</dd>
      {key && <><dt>{text.settings.key}</dt><dd>{key}</dd></>}
      {description && <><dt>{text.settings.description}</dt><dd dir="auto">{description}</dd></>}
      <dt>{text.settings.visibility}</dt>
      <dd>{(text.projects.visibility as Record<string, string>)[visibility] ?? visibility}</dd>
    </dl>
  );
}
