// The dialogs that make a project and a board.

import type { Home } from "../../model/home";
import { ownersOf, ProjectMaker } from "../../model/content/new-project";
import { text } from "../../text";
import { open } from "../../ui/address";
import { ask } from "../../ui/dialog";
import { Field } from "../../ui/form";
import { Select } from "../../ui/picker";
import { askNewBoard } from "../parts/new-board";

export function OwnerSelect({ home }: { home: Home }) {
  return <Select label={text.projects.owner} name="owner" choices={ownersOf(home.organizations, home.caller)} />;
}

export function askProject(home: Home): void {
  const maker = new ProjectMaker(home.caller, home.organizations);
  ask({
    title: text.projects.create,
    action: text.projects.makes,
    cancel: text.cancel,
    fields: (
      <>
        <Field label={text.projects.name} name="name" required />
        <Field label={text.projects.key} name="key" help={text.projects.keyHelp} />
        <OwnerSelect home={home} />
      </>
    ),
    send: async (form) => {
      const [name, owner, key] = ["name", "owner", "key"].map((field) => String(form.get(field)).trim());
      open(`/projects/${await maker.make(name ?? "", owner, key)}`);
    },
  });
}

export function askBoard(home: Home): void {
  askNewBoard(home.organizations, home.projects.peek());
}
