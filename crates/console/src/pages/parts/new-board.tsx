// The dialog that makes a board. It belongs to an organization; a person without one gets it with their first board.

import type { Organization, Project } from "../../api/places";
import { mayMakeTeams, readAccount } from "../../model/people/account";
import { tellFailure } from "../../model/messages";
import { BoardMaker } from "../../model/planning/new-board";
import { text } from "../../text";
import { open } from "../../ui/address";
import { ask } from "../../ui/dialog";
import { Field } from "../../ui/form";
import { Select } from "../../ui/picker";

/** Asks for a new board. `projects` are those whose cards it may plan. */
export function askNewBoard(organizations: readonly Organization[], projects: readonly Project[]): void {
  void askBoard(organizations.filter(mayMakeTeams), projects).catch(tellFailure);
}

async function askBoard(organizations: readonly Organization[], all: readonly Project[]): Promise<void> {
  const user = await readAccount();
  const maker = new BoardMaker(user);
  const isOwn = organizations.length === 0;
  const owners = isOwn ? [user.id] : organizations.map(({ id }) => id);
  const projects = all.filter(({ ownerId }) => owners.includes(ownerId));
  ask({
    title: text.board.newTeam,
    action: text.board.makesTeam,
    cancel: text.cancel,
    fields: (
      <>
        <Field label={text.board.teamName} name="name" required />
        {isOwn ? <p>{text.board.ownOrganization}</p> : (
          <Select label={text.board.organization} name="org"
            choices={organizations.map(({ id, name }) => ({ value: id, name }))} />
        )}
        <Select label={text.board.linked} name="project" {...(isOwn ? { help: text.board.movesProject } : {})}
          choices={[{ value: "", name: "–" }, ...projects.map(({ id, name }) => ({ value: id, name }))]} />
      </>
    ),
    send: async (form) => {
      const org = form.get("org") as string | null;
      open(await maker.make(String(form.get("name")), org, String(form.get("project") ?? "")));
    },
  });
}
