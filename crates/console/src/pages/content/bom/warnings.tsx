// The warnings of a bill, to be read before parts are ordered, with links to the objects that they are about.

import type { BomWarning } from "../../../api/content/bom";
import type { Bill } from "../../../model/content/bill";
import { text } from "../../../text";
import { Icon } from "../../../ui/icon";

/** Most objects that a warning names. */
const MOST = 5;

export function Warnings({ bill }: { bill: Bill }) {
  const warnings = bill.answer.value?.warnings ?? [];
  if (warnings.length === 0) return null;
  return (
    <details class="bom-warnings">
      <summary><Icon name="warning" /><span>{text.bom.warnings(warnings.length)}</span></summary>
      <ul>{warnings.map((warning) => <Warning key={warning.kind} warning={warning} bill={bill} />)}</ul>
    </details>
  );
}

function Warning({ warning: { message, objectCount, objects }, bill }: { warning: BomWarning; bill: Bill }) {
  const named = objects.map((object) => ({ object, name: bill.nodeOf(object.id)?.name }))
    .filter(({ name }) => name !== undefined).slice(0, MOST);
  return (
    <li>
      {message} {objectCount > 0 && <span class="soft">{text.bom.about(objectCount)}</span>}
      {named.map(({ object, name }) => (
        <span key={object.id}> <a href={bill.hrefOf(object)} dir="auto">{name}</a></span>
      ))}
    </li>
  );
}
