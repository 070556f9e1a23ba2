// The first project of a person: a name or files, and the project opens with them in its tree.

import { useSignal } from "@preact/signals";
import { useMemo, useRef } from "preact/hooks";
import { beginSteps } from "../../model/first-steps";
import type { Home } from "../../model/home";
import { ProjectMaker } from "../../model/content/new-project";
import { sendFiles } from "../../model/content/uploads";
import { text } from "../../text";
import { open } from "../../ui/address";
import { Button } from "../../ui/button";
import { droppedFiles } from "../../ui/dropped";
import { Form } from "../../ui/form";
import { Icon } from "../../ui/icon";
import { OwnerSelect } from "./create";

type Chosen = { file: File; path: string };

export function Begin({ home }: { home: Home }) {
  const files = useSignal<Chosen[]>([]);
  const name = useSignal("");
  const maker = useMemo(() => new ProjectMaker(home.caller, home.organizations), []);
  const take = (more: Chosen[]) => {
    files.value = [...files.value, ...more];
    const first = files.value[0]?.path.split("/")[0];
    if (!name.value && first) name.value = first.replace(/\.[^.]*$/, "");
  };
  const send = async (form: FormData) => {
    const id = await maker.make(name.value, String(form.get("owner") ?? ""));
    const href = `/projects/${id}`;
    if (files.value.length > 0) void sendFiles({ place: id, href }, files.value, id);
    beginSteps(id, files.value.length > 0);
    open(href);
  };
  return (
    <Form action={text.begin.makes} class="begin" send={send}>
      <h1>{text.begin.title}</h1>
      <p class="lead">{text.projects.empty}</p>
      <div class="field">
        <label for="field-name">{text.projects.name}</label>
        <input id="field-name" name="name" required autocomplete="off" value={name.value}
          onInput={(event) => { name.value = event.currentTarget.value; }} />
      </div>
      {home.organizations.length > 0 && <OwnerSelect home={home} />}
      <DropPlace files={files.value} take={take} />
    </Form>
  );
}

function DropPlace({ files, take }: { files: readonly Chosen[]; take: (more: Chosen[]) => void }) {
  const isOver = useSignal(false);
  const picker = useRef<HTMLInputElement>(null);
  const drop = (event: DragEvent) => {
    event.preventDefault();
    isOver.value = false;
    if (event.dataTransfer) void droppedFiles(event.dataTransfer).then((dropped) => take(dropped.files));
  };
  return (
    <div class={isOver.value ? "begin-drop lit" : "begin-drop"} onDragOver={(event) => {
      event.preventDefault();
      isOver.value = true;
    }} onDragLeave={() => { isOver.value = false; }} onDrop={drop}>
      <Icon name="upload" />
      <p>{text.begin.drop}</p>
      <Button name={text.begin.choose} onClick={() => picker.current?.click()} />
      <input ref={picker} type="file" multiple hidden aria-label={text.begin.choose}
        onChange={(event) => take([...event.currentTarget.files ?? []].map((file) => ({ file, path: file.name })))} />
      <ul class="soft" aria-live="polite">{files.map(({ path }, at) => <li key={at} dir="auto">{path}</li>)}</ul>
    </div>
  );
}
