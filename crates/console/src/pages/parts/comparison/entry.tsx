// A changed object: how it changed, its fields before and after, and what is below it.

import { useComputed, useSignal, useSignalEffect } from "@preact/signals";
import { aspectWords } from "../../../model/content/aspect-words";
import type { Entry } from "../../../model/content/compared-entry";
import { text } from "../../../text";
import { useRovingItem } from "../../../ui/roving";
import { Read } from "../read";
import { Fields } from "./fields";
import type { ListView } from "./list-view";

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
  const { comparison, below, action, picked, focus, isUnfolded } = view;
  const isOpen = useSignal(isUnfolded);
  const { ref, onFocus } = useRovingItem<HTMLElement>(focus, entry.objectId);
  const isPicked = useComputed(() => picked?.value === entry.objectId).value;
  useSignalEffect(() => {
    const id = picked?.value;
    if (!id) return;
    if (id === entry.objectId) ref.current?.scrollIntoView({ block: "nearest" });
    // Its row is drawn once those above it are unfolded.
    else if (view.above(id).includes(entry.objectId)) isOpen.value = true;
  });
  const pick = () => {
    onFocus();
    if (picked) picked.value = entry.objectId;
  };
  const children = below.get(entry.objectId) ?? [];
  return (
    <details class={`changed-object${action ? " has-action" : ""}${isPicked ? " picked" : ""}`} open={isOpen.value}
      data-id={entry.objectId} onToggle={(event) => {
        if (event.target === event.currentTarget) isOpen.value = event.currentTarget.open;
      }}>
      <summary ref={ref} aria-current={isPicked} onFocus={pick} onClick={pick}>
        <Summary entry={entry} view={view} />
      </summary>
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
  const words = aspectWords(entry);
  return (
    <>
      <span class={`change ${change === "modified" ? "changed" : change}`} aria-hidden="true">{SIGNS[change]}</span>
      <span class="unseen">{text.versions.said[change]}</span>
      <span class="name" dir="auto">{name}</span>
      {inside > 0 && <span class="soft below">{text.versions.below(inside)}</span>}
      <span class="soft" dir="auto">{type}</span>
      {words && <span class="aspects" dir="auto">{words}</span>}
      {path && !isNested && <span class="soft path" dir="auto" title={path}>{path}</span>}
    </>
  );
}
