// The keys of the page, by groups.

import { text } from "../../text";
import { actions, type Action } from "../../ui/actions";
import { Button } from "../../ui/button";
import { hasDialog, openDialog } from "../../ui/dialog";

export function openKeys(): void {
  if (hasDialog()) return;
  const groups = Map.groupBy(actions().filter(({ key }) => key), ({ group }) => group ?? text.palette.everywhere);
  openDialog((close) => (
    <div class="form">
      <h2>{text.palette.keys}</h2>
      <div class="keys">{[...groups].map(([name, own]) => <Group key={name} name={name} own={own} />)}</div>
      <div class="actions"><Button name={text.close} onClick={close} /></div>
    </div>
  ), { label: text.palette.keys, kind: "keys-dialog" });
}

function Group({ name, own }: { name: string; own: Action[] }) {
  return (
    <section>
      <h3>{name}</h3>
      <dl>{own.flatMap((action) => [<dt key={`${action.name} name`}>{action.name}</dt>,
        <dd key={action.name}><kbd>{action.shownKey ?? action.key}</kbd></dd>])}</dl>
    </section>
  );
}
