// The saved views of the caller and of its teams.

import { signal } from "@preact/signals";
import { deleteView, readViews, renameView, type SavedView } from "../../../api/planning/views";
import { readAccount } from "../../../model/people/account";
import { text } from "../../../text";
import { Button } from "../../../ui/button";
import { ask } from "../../../ui/dialog";
import { Empty } from "../../../ui/empty";
import { Field } from "../../../ui/form";
import { Icon } from "../../../ui/icon";
import { usePlace } from "../../../ui/place";
import { useWhenSeen } from "../../../ui/seen";
import { Time } from "../../../ui/time";
import { confirm } from "../../parts/confirm";
import { PageState } from "../../parts/page-state";
import { addressOf, nameOf } from "../../parts/saved-views";

async function openViews() {
  const [caller, first] = await Promise.all([readAccount(), readViews()]);
  const views = signal<readonly SavedView[]>(first);
  const reload = async () => { views.value = await readViews(); };
  return { caller, views, reload };
}

type OpenViews = Awaited<ReturnType<typeof openViews>>;

export default function ViewsPage() {
  usePlace({ title: text.views.title, crumbs: [{ name: text.views.title }], navigation: [] }, []);
  return <PageState read={openViews} keys={[]}>{(open) => <Opened {...open} />}</PageState>;
}

function Opened({ caller, views, reload }: OpenViews) {
  useWhenSeen(reload, [reload]);
  return (
    <div class="page">
      <div class="heading"><h1>{text.views.title}</h1></div>
      {views.value.length === 0 && <Empty icon="visible"><p>{text.views.empty}</p></Empty>}
      <ul class="rows">
        {views.value.map((view) => (
          <ViewRow key={view.id} view={view} me={caller.id}
            rename={view.mayChange ? () => askName(view, reload) : undefined}
            remove={view.ownerId === caller.id ? () => askDelete(view, reload) : undefined} />
        ))}
      </ul>
    </div>
  );
}

interface ViewRowProps {
  view: SavedView;
  me: string;
  /** Undefined where the caller may not. */
  rename: (() => void) | undefined;
  remove: (() => void) | undefined;
}

function ViewRow({ view, me, rename, remove }: ViewRowProps) {
  return (
    <li class="row-place">
      <a class="row" href={addressOf(view)}>
        <Icon name={view.layout} />
        <span class="name" dir="auto">{nameOf(view, me)}</span>
        <span class="soft">{view.teamId ? text.views.shared : ""}</span>
        <span />
        <span class="soft"><Time iso={view.updatedAt} /></span>
      </a>
      {rename && <Button name={text.views.renameOf(view.name)} icon="pencil" kind="plain small" quiet
        onClick={rename} />}
      {remove && <Button name={text.views.deleteOf(view.name)} icon="bin" kind="plain small" quiet onClick={remove} />}
    </li>
  );
}

function askName({ id, name }: SavedView, reload: () => Promise<void>): void {
  ask({
    title: text.views.renameOf(name), action: text.views.rename, cancel: text.cancel,
    fields: <Field label={text.views.name} name="name" value={name} required />,
    send: async (form) => {
      await renameView(id, String(form.get("name") ?? ""));
      await reload();
    },
  });
}

function askDelete({ id, name }: SavedView, reload: () => Promise<void>): void {
  confirm({
    title: text.views.deletes(name), says: text.views.deleteSays, action: text.views.delete,
    send: async () => {
      await deleteView(id);
      await reload();
    },
  });
}
