// The way to import cards into a project of the team, for those who may write its cards.

import { mayWriteSome } from "../../../model/planning/card-writers";
import type { OpenedTeam } from "../../../model/planning/team";
import { text } from "../../../text";
import { open } from "../../../ui/address";
import { Icon } from "../../../ui/icon";
import { useLoaded } from "../../../ui/loaded";
import { MenuButton } from "../../../ui/menu";

/** Projects from which on their menu has a field to find one. */
const MANY = 8;
const hrefOf = (project: string) => `/projects/${project}/cards/import`;

export function ImportCards({ opened: { projects, caller } }: { opened: OpenedTeam }) {
  // Projects that a team plans belong to its organization.
  const loaded = useLoaded(() => mayWriteSome(projects, caller.id), [projects, caller.id]).state.value;
  const [first, ...others] = projects;
  if (loaded.state !== "there" || !loaded.value || !first) return null;
  const label = text.imports.into;
  if (others.length === 0) {
    return <a class="button plain" href={hrefOf(first.id)}><Icon name="upload" />{text.imports.action}</a>;
  }
  return (
    <MenuButton name={text.imports.action} icon="upload" kind="plain" options={() => ({
      label, ...(projects.length > MANY ? { find: text.projects.search, empty: text.projects.none } : {}),
      entries: () => projects.map(({ id, name }) => ({ name, run: () => open(hrefOf(id)) })),
    })} />
  );
}
