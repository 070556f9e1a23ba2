// The menu of saved views in the bar of filters: opens one, and saves what the page shows.

import { newKey } from "../../api/persist";
import { readViews, saveView, type SavedView } from "../../api/planning/views";
import { tell, tellFailure } from "../../model/messages";
import { viewOf, type ShownPage } from "../../model/planning/saved-view";
import type { OpenedTeam } from "../../model/planning/team";
import { text } from "../../text";
import { open } from "../../ui/address";
import { ask } from "../../ui/dialog";
import { Field } from "../../ui/form";
import { Icon } from "../../ui/icon";
import { MenuButton } from "../../ui/menu";
import type { MenuEntry } from "../../ui/menu-state";
import { Select } from "../../ui/picker";

/** Views from which on the menu has a field to find one. */
const MANY = 8;

interface SavedViewsProps {
  opened: OpenedTeam;
  /** The page's state at this moment. */
  shown: () => ShownPage;
}

export function SavedViews({ opened, shown }: SavedViewsProps) {
  const options = async () => {
    const views = await readViews();
    const entries = (): MenuEntry[] => [
      { name: text.views.save, part: "save", run: () => askView(opened, shown()) },
      ...views.map((view): MenuEntry => ({ name: nameOf(view, opened.caller.id), part: "views",
        run: () => open(addressOf(view)) })),
      { name: text.views.all, part: "all", run: () => open("/views") },
    ];
    return { label: text.views.title, entries, ...(views.length > MANY ? { find: text.views.find } : {}) };
  };
  return (
    <MenuButton name={text.views.title} kind="plain" lead={<Icon name="visible" />} options={options}
      failed={tellFailure} />
  );
}

/** The link that opens a view. */
export const addressOf = ({ id }: Pick<SavedView, "id">) => `/views/${id}`;

/** The name of a view, with its owner if that is somebody else. */
export const nameOf = ({ name, ownerId, ownerName }: SavedView, me: string) =>
  (ownerId === me ? name : text.views.ofOther(name, ownerName));

function askView({ team }: OpenedTeam, page: ShownPage): void {
  const key = newKey();
  ask({
    title: text.views.saves, action: text.views.makes, cancel: text.cancel,
    fields: (
      <>
        <Field label={text.views.name} name="name" required />
        <Select label={text.views.readers} name="readers" choices={[
          { value: "", name: text.views.own }, { value: team.id, name: text.views.team(team.name) }]} />
      </>
    ),
    async send(form) {
      const [name, readers] = ["name", "readers"].map((field) => String(form.get(field) ?? ""));
      const view = await saveView(viewOf(name ?? "", page, readers || null), key);
      tell(text.views.saved(view.name), { act: { name: text.views.open, run: () => open(addressOf(view)) } });
    },
  });
}
