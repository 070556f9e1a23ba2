// The caller's imports into the project, the newest first. Each has an address.

import type { ImportRecord } from "../../../api/planning/imports";
import { isRunning, type CardImports } from "../../../model/planning/card-imports";
import { text } from "../../../text";
import { path } from "../../../ui/address";
import { Icon } from "../../../ui/icon";
import { Time } from "../../../ui/time";

export function Earlier({ imports }: { imports: CardImports }) {
  const all = imports.all.value;
  if (all.length === 0) return null;
  return (
    <section aria-labelledby="earlier">
      <h2 id="earlier">{text.imports.earlier}</h2>
      <ul class="rows">
        {all.map((one) => <Row key={one.id} one={one} isShown={one.id === imports.shown.value?.id} />)}
      </ul>
    </section>
  );
}

function Row({ one, isShown }: { one: ImportRecord; isShown: boolean }) {
  const { id, tool, isDryRun, state, counts: { created }, createdAt } = one;
  const icon = isRunning(one) ? "wait" : state === "failed" ? "warning" : isDryRun ? "visible" : "check";
  const name = text.imports.tools[tool];
  return (
    <li>
      <a class="row import-row" href={`${path.value}?import=${id}`} aria-current={isShown ? "true" : undefined}>
        <Icon name={icon} />
        <span class="name">{isDryRun ? text.imports.trial(name) : name}</span>
        <span class="soft">{isDryRun ? text.imports.trialOf(created) : text.imports.states[state](created)}</span>
        <span class="soft"><Time iso={createdAt} /></span>
      </a>
    </li>
  );
}
