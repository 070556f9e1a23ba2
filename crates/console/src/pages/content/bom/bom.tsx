// The bill of materials of a project, or of an object in it: what it is made of, and how much of each.

import { projectEvents } from "../../../api/content/projects";
import { watch } from "../../../api/watch";
import { Bill } from "../../../model/content/bill";
import { openProject } from "../../../model/content/project";
import { text } from "../../../text";
import { search } from "../../../ui/address";
import { usePlace } from "../../../ui/place";
import { SaveHost } from "../../../ui/save";
import { PageState } from "../../parts/page-state";
import type { PageProps } from "../../parts/page-props";
import { projectPlace } from "../../parts/project-place";
import { Table } from "./table";
import { Heading, Tools } from "./tools";
import { addressChoice, useBillView } from "./view";
import { Warnings } from "./warnings";

interface ChangeData {
  branch?: string;
}

async function read(id: string, branch: string | null, root: string | null) {
  const bill = new Bill(await openProject(id, branch), root);
  const { view, by, columns } = addressChoice(id);
  [bill.view.value, bill.by.value, bill.columns.value] = [view, by, columns];
  await bill.load();
  const live = watch(projectEvents(id), () => bill.load(), ({ type, data }) => {
    const where = (data.data as ChangeData | undefined)?.branch;
    return /^(objects\.changed|commit\.created|package\..+)$/.test(type) && (!where || where === bill.opened.branch);
  });
  return { bill, live };
}

export default function BomPage({ parameters: { project = "" } }: PageProps) {
  const [branch, root] = [search.value.get("branch"), search.value.get("root")];
  return (
    <PageState read={() => read(project, branch, root)} keys={[project, branch, root]}
      close={({ live }) => live.stop()}>
      {(opened) => <Opened key={`${opened.bill.place} ${root}`} {...opened} />}
    </PageState>
  );
}

function Opened({ bill, live }: Awaited<ReturnType<typeof read>>) {
  const state = live.state.value;
  const name = bill.nodeOf(bill.root)?.name;
  usePlace({ ...projectPlace(bill.opened, "/bom", text.bom.title), live: state,
    ...(name ? { title: `${text.bom.of(name)} · ${bill.opened.project.name}` } : {}) }, [bill, state, name]);
  const view = useBillView(bill);
  return (
    <div class="bom-page">
      <Heading view={view} />
      <Tools view={view} />
      <Warnings bill={bill} />
      <p class="unseen" id="bom-keys">{text.bom.keys}</p>
      <Table view={view} />
      <SaveHost />
    </div>
  );
}
