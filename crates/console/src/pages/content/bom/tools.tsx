// The head of a bill: what is counted, how many parts that makes, and what is shown of them.

import { useComputed } from "@preact/signals";
import { useRef } from "preact/hooks";
import type { TableFormat } from "../../../api/content/bom";
import { headingOf, toggled, withTyped } from "../../../model/content/bill-columns";
import { rootsOf } from "../../../model/content/bill-roots";
import { projectHref } from "../../../model/content/project";
import { tellFailure } from "../../../model/messages";
import { text } from "../../../text";
import { open } from "../../../ui/address";
import { BusyButton } from "../../../ui/busy-button";
import { Button } from "../../../ui/button";
import { Icon } from "../../../ui/icon";
import { isComposing } from "../../../ui/keys";
import { MenuButton } from "../../../ui/menu";
import type { MenuEntry, MenuOptions } from "../../../ui/menu-state";
import { saveBlob } from "../../../ui/save";
import { BranchMenu } from "../../parts/branch";
import { iconOf } from "../../parts/object-icon";
import { chooseColumns, chooseForm, chooseGrouping, chooseRoot, type BillView } from "./view";

/** Roots from which on their menu has a field to find one. */
const MANY = 8;
const FORMS = ["indented", "flat"] as const;

export function Heading({ view: { bill } }: { view: BillView }) {
  const { project, branch, branches } = bill.opened;
  const { pieces, measured } = bill.totals.value;
  const count = bill.rows.value.length;
  const said = [bill.isFlat.value ? text.bom.parts(count) : text.bom.rows(count), text.bom.pieces(pieces),
    ...(measured > 0 ? [text.bom.measured(measured)] : [])];
  return (
    <div class="bom-head">
      <h1>{text.bom.title}</h1>
      <RootMenu view={{ bill }} />
      <BranchMenu branches={branches} chosen={branch} choose={(now) => open(projectHref(project, "/bom", now))} />
      <p class="soft" role="status">{count > 0 && said.join(" · ")}</p>
    </div>
  );
}

/** The button that says what is counted, and opens the choice of something else. */
function RootMenu({ view: { bill } }: { view: Pick<BillView, "bill"> }) {
  const { project } = bill.opened;
  const options = (): MenuOptions => {
    const roots = rootsOf(bill.nodes.peek(), bill.root);
    return {
      label: text.bom.root,
      ...(roots.length > MANY ? { find: text.bom.findRoot } : {}),
      entries: () => [
        { name: project.name, lead: <Icon name="files" />, checked: bill.root === null, run: () => chooseRoot(null) },
        ...roots.map((node): MenuEntry => ({ name: node.name, part: "objects", lead: <Icon name={iconOf(node)} />,
          checked: node.id === bill.root, run: () => chooseRoot(node.id) })),
      ],
    };
  };
  const node = bill.nodeOf(bill.root);
  const name = node?.name ?? project.name;
  return (
    <MenuButton name={name} label={`${text.bom.root}: ${name}`} icon={node ? iconOf(node) : "files"} kind="branch-menu"
      options={options}><Icon name="down" /></MenuButton>
  );
}

export function Tools({ view }: { view: BillView }) {
  const { bill } = view;
  const hasRows = bill.rows.value.length > 0;
  const hasLevels = useComputed(() => !bill.isFlat.value && bill.rows.value.some(({ row }) => row.level > 0)).value;
  return (
    <div class="bom-tools" role="group" aria-label={text.bom.view}>
      <div class="switch">
        {FORMS.map((form) => (
          <button key={form} type="button" data-form={form} aria-pressed={bill.view.value === form}
            onClick={() => chooseForm(form)}>{text.bom.views[form]}</button>
        ))}
      </div>
      <Find view={view} />
      <Columns view={view} />
      {hasLevels && <Button name={text.bom.unfoldAll} icon="unfold" kind="plain" onClick={() => bill.foldAll(true)} />}
      {hasLevels && <Button name={text.bom.foldAll} icon="fold" kind="plain" onClick={() => bill.foldAll(false)} />}
      <span class="bom-save">
        {(["csv", "xlsx"] as const).map((format) => (
          <BusyButton key={format} name={text.bom[format]} label={text.bom.saveAs(text.bom[format])} icon="download"
            disabled={!hasRows} run={() => save(view, format)} />
        ))}
      </span>
    </div>
  );
}

function save({ bill }: BillView, format: TableFormat): Promise<void> {
  const name = bill.nodeOf(bill.root)?.name ?? bill.opened.project.name;
  return bill.file(format).then((blob) => saveBlob(blob, `${name} – ${text.bom.title}.${format}`), tellFailure);
}

function Find({ view: { bill } }: { view: BillView }) {
  const input = useRef<HTMLInputElement>(null);
  return (
    <label class="search">
      <Icon name="search" />
      <input ref={input} type="search" aria-label={text.bom.find} placeholder={text.bom.find} value={bill.find.value}
        onInput={(event) => { bill.find.value = event.currentTarget.value; }}
        onKeyDown={(event) => {
          if (event.key !== "Escape" || isComposing(event)) return;
          event.stopPropagation();
          input.current?.blur();
        }} />
    </label>
  );
}

/** The columns, and the rule by which parts are equal. */
function Columns({ view }: { view: BillView }) {
  const { bill, offered } = view;
  const entries = (): MenuEntry[] => {
    const [columns, by] = [bill.columns.value, bill.by.value];
    return [
      ...offered.value.map((name): MenuEntry => ({ name: headingOf(name), part: "columns",
        checked: columns.properties.includes(name), run: () => chooseColumns(view, toggled(columns, name)) })),
      { name: text.bom.file, part: "columns", checked: columns.hasFile,
        run: () => chooseColumns(view, { ...columns, hasFile: !columns.hasFile }) },
      { name: text.bom.byDefinition, part: "by", checked: by === "definition",
        run: () => chooseGrouping("definition") },
      { name: text.bom.byGeometry, part: "by", checked: by === "geometry", run: () => chooseGrouping("geometry") },
    ];
  };
  const create = (typed: string): MenuEntry => ({ name: text.bom.addColumn(typed),
    run: () => chooseColumns(view, withTyped(bill.columns.peek(), typed)) });
  return (
    <MenuButton name={text.bom.columns} kind="plain" lead={<Icon name="table" />}
      options={() => ({ label: text.bom.columns, find: text.bom.findColumn, stays: true, entries, create })} />
  );
}
