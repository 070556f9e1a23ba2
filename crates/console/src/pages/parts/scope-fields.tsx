// The choice of a key's scopes: a level for each kind of thing, in words, and sets for common purposes.

import type { Signal } from "@preact/signals";
import { LADDERS, SETS, levelSays, setOf } from "../../model/people/scopes";
import type { Kind, Level, Levels, SetName } from "../../model/people/scopes";
import { text } from "../../text";
import { InlineSelect } from "../../ui/inline-select";

export function ScopeFields({ levels }: { levels: Signal<Levels> }) {
  const chosen = setOf(levels.value);
  return (
    <fieldset class="scopes">
      <legend>{text.keys.mayDo}</legend>
      <div class="sets">
        {(Object.keys(SETS) as SetName[]).map((name) => (
          <button key={name} type="button" class="button" aria-pressed={name === chosen}
            onClick={() => { levels.value = SETS[name]; }}>
            <span>{text.keys.sets[name]}</span>
          </button>
        ))}
      </div>
      {LADDERS.map(([kind, own]) => <Ladder key={kind} kind={kind} own={own} levels={levels} />)}
    </fieldset>
  );
}

function Ladder({ kind, own, levels }: { kind: Kind; own: readonly Level[]; levels: Signal<Levels> }) {
  const level = levels.value[kind] ?? "";
  return (
    <div class="scope">
      <span class="scope-name">{text.keys.kinds[kind]}</span>
      <p class="help">{levelSays(kind, level)}</p>
      <InlineSelect label={text.keys.kinds[kind] ?? kind} value={level}
        choices={own.map((value) => ({ value, name: text.keys.levels[value] ?? value }))}
        onChange={(now) => { levels.value = { ...levels.value, [kind]: now as Level }; }} />
    </div>
  );
}
