// The choice of a new card's type, where its project defines types, and what the card gets by it.

import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { readCardTypes, type CardTypeDefinition } from "../../api/planning/card-types";
import { TASK, typeName, typesOf } from "../../model/planning/card-kinds";
import { text } from "../../text";
import { Icon } from "../../ui/icon";
import { Select } from "../../ui/picker";
import { TypeIcon } from "./card-marks";
import { LateMarkdown } from "./late-markdown";

export function TypeChoice({ project }: { project: string }) {
  const types = useSignal<readonly CardTypeDefinition[]>([]);
  const chosen = useSignal<string>(TASK);
  useEffect(() => {
    let isShown = true;
    // Without the types the card is a task, and gets the preset of that.
    void readCardTypes(project).then((read) => { if (isShown) types.value = read; }, () => {});
    return () => { isShown = false; };
  }, [project]);
  if (types.value.length === 0) return null;
  const names = typesOf(types.value.map(({ name }) => ({ type: name })));
  const preset = types.value.find(({ name }) => name === chosen.value);
  return (
    <>
      <Select key={project} label={text.card.type} name="type" value={chosen.value}
        choices={names.map((name) => ({ value: name, name: typeName(name), lead: <TypeIcon type={name} /> }))}
        onChange={(type) => { chosen.value = type; }} />
      {preset && <Preset type={preset} />}
    </>
  );
}

/** The description and checklist of new cards of the type. */
function Preset({ type: { description, checklist } }: { type: CardTypeDefinition }) {
  if (!description && checklist.length === 0) return null;
  return (
    <div class="preset" role="note" tabIndex={0} aria-label={text.cardTypes.preset}>
      {description && <LateMarkdown source={description} under={3} />}
      {checklist.length > 0 && <ul>{checklist.map((line, at) =>
        <li key={at}><Icon name="check" /><span dir="auto">{line}</span></li>)}</ul>}
    </div>
  );
}
