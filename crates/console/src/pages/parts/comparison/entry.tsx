// A changed object: how it changed, its fields before and after, and what is below it.

import { useSignal } from "@preact/signals";
import type { Entry } from "../../../model/content/comparison";
import { text } from "../../../text";
import { useRovingItem } from "../../../ui/roving";
import { Read } from "../read";
import type { ListView } from "./comparison";
import { Fields } from "./fields";

const SIGNS = { added: "+", modified: "~", deleted: "−" };

interface ChangedEntryProps {
  entry: Entry;
  view: ListView;
}

export function ChangedEntry({ entry, view }: ChangedEntryProps) {
  const { action } = view;
  if (!action) return <Folded entry={entry} view={view} />;
  // A folded element hides what is in it, and the action is to be seen.
  return (
    <div class="changed-entry">
      <div class="changed-action">
        <button type="button" class="button" aria-label={action.says(entry)} onClick={() => action.run(entry)}>
          {action.name}
        </button>
      </div>
      <Folded entry={entry} view={view} />
    </div>
  );
}

function Folded({ entry, view }: ChangedEntryProps) {
  const { comparison, below, action, focus, isUnfolded } = view;
  const isOpen = useSignal(isUnfolded);
  const { ref, onFocus } = useRovingItem<HTMLElement>(focus, entry.objectId);
  const children = below.get(entry.objectId) ?? [];
  return (
    <details class={action ? "changed-object has-action" : "changed-object"} open={isOpen.value}
      data-id={entry.objectId} onToggle={(event) => {
        if (event.target === event.currentTarget) isOpen.value = event.currentTarget.open;
      }}>
      <summary ref={ref} onFocus={onFocus}><Summary entry={entry} view={view} /></summary>
      {isOpen.value && <>
        <div class="changed-body">
          <Read read={entry.fields} keys={[comparison.head.commit ?? entry]}>
            {(fields) => (fields.length === 0 ? <p class="soft">{text.versions.noFields}</p>
              : <Fields fields={fields} comparison={comparison} entry={entry} />)}
          </Read>
        </div>
        {children.length > 0 && (
          <div class="changed-below">
            {children.map((child) => <ChangedEntry key={child.objectId} entry={child} view={view} />)}
          </div>
        )}
      </>}
    </details>
  );
}

function Summary({ entry, view }: ChangedEntryProps) {
  const { change, name, type, path, parentId } = entry;
  const inside = view.inside.get(entry.objectId) ?? 0;
  const isNested = view.below.get(parentId)?.includes(entry) ?? false;
  return (
    <>
      <span class={`change ${change === "modified" ? "changed" : change}`} aria-hidden="true">{SIGNS[change]}</span>
      <span class="unseen">{text.versions.said[change]}</span>
      <span class="name" dir="auto">{name}</span>
      {inside > 0 && <span class="soft below">{text.versions.below(inside)}</span>}
      <span class="soft" dir="auto">{type}</span>
      {path && !isNested && <span class="soft path" dir="auto" title={path}>{path}</span>}
    </>
  );
}
