// Conflicts of a merge or a revert, decided by clicking: both sides of each field, and one of them taken.

import { readObject, type FileRef } from "../../api/content/objects";
import type { Conflict, Resolution } from "../../api/content/versions";
import type { Decision } from "../../model/content/conflicts";
import { fieldName, writtenField } from "../../model/content/fields";
import { sizeOf } from "../../model/content/media";
import { groupBy } from "../../model/content/tree-order";
import { text } from "../../text";
import { useLoaded } from "../../ui/loaded";
import { Lines } from "./code";

export interface ConflictSides {
  /** The branch that is merged into, and the other one if it is a branch. */
  place: string;
  theirPlace?: string;
  ours: string;
  theirs: string;
  /** Names of objects that are gone from both sides. */
  nameOf?: ((id: string) => string | undefined) | undefined;
}

interface ConflictsProps {
  decision: Decision;
  sides: ConflictSides;
}

export function Conflicts({ decision, sides }: ConflictsProps) {
  const all = decision.conflicts.map((conflict, at) => ({ conflict, at }));
  return (
    <div class="conflicts">
      {[...groupBy(all, ({ conflict }) => conflict.objectId)].map(([id, own]) => (
        <section key={id}>
          <ObjectName id={id} sides={sides} />
          {own.map(({ conflict, at }) => <ConflictChoice key={at} {...{ conflict, at, decision, sides }} />)}
        </section>
      ))}
    </div>
  );
}

/** The name on one's own side, or on the other one if that alone has the object. */
function ObjectName({ id, sides: { place, theirPlace, nameOf } }: { id: string; sides: ConflictSides }) {
  const read = async () => {
    const ways = [[place, false], [place, true], ...(theirPlace ? [[theirPlace, true]] : [])] as [string, boolean][];
    for (const [at, committed] of ways) {
      const found = await readObject(at, id, committed).catch(() => null);
      if (found) return found.name;
    }
    throw new Error(id);
  };
  const loaded = useLoaded(read, [id]).state.value;
  const name = loaded.state === "there" ? loaded.value : nameOf?.(id) ?? text.merge.object;
  return <h2 class="conflict-object" dir="auto">{name}</h2>;
}

const isText = (value: unknown): value is string => typeof value === "string" && value.includes("\n");

function written(field: string, value: unknown): string {
  if (field !== "/file") return writtenField(value);
  const { size, mimeType } = value as FileRef;
  return `${sizeOf(size)}, ${mimeType}`;
}

interface ChoiceProps extends ConflictsProps {
  conflict: Conflict;
  at: number;
}

function ConflictChoice({ conflict, at, decision, sides }: ChoiceProps) {
  const { field, kind, base, ours, theirs, objectId } = conflict;
  const isWhole = kind === "deleted" || kind === "deletedParent";
  const choices: [Resolution["take"], string, unknown][] = isWhole
    ? [["keep", text.merge.keep, undefined], ["delete", text.merge.delete, undefined]]
    : [["ours", text.merge.ours(sides.ours), ours], ["theirs", text.merge.theirs(sides.theirs), theirs]];
  return (
    <fieldset class="conflict">
      <legend>{isWhole ? text.merge.kinds[kind] : fieldName(field)}</legend>
      {!isWhole && base !== undefined && !isText(base) && (
        <p class="conflict-base">
          {text.versions.before}: <span class="conflict-value" dir="auto">{written(field, base)}</span>
        </p>
      )}
      <div class="conflict-sides">
        {choices.map(([take, name, value]) => (
          <label key={take} class="conflict-side">
            <span class="check">
              <input type="radio" name={`conflict-${at}`} value={take} checked={decision.isTaken(at, take)}
                onChange={() => decision.take(at, take)} />
              <span dir="auto">{name}</span>
            </span>
            {!isWhole && (value === undefined ? <span class="soft">{text.merge.absent}</span>
              : <span class="conflict-value" dir="auto">{written(field, value)}</span>)}
          </label>
        ))}
      </div>
      {field === "/file" && sides.theirPlace && <Texts id={objectId} place={sides.place} their={sides.theirPlace} />}
      {isText(ours) && typeof theirs === "string" && <Lines before={ours} after={theirs} name={fieldName(field)} />}
    </fieldset>
  );
}

/** The texts that conversions read from two files, by lines. They belong to their files, so they aren't conflicts. */
function Texts({ id, place, their }: { id: string; place: string; their: string }) {
  const loaded = useLoaded(() => Promise.all([readObject(place, id, true), readObject(their, id, true)]), [id]).state;
  if (loaded.value.state !== "there") return null;
  const [ours, theirs] = loaded.value.value;
  const [before, after] = [ours.data.text, theirs.data.text];
  return typeof before === "string" && typeof after === "string"
    ? <Lines before={before} after={after} name={ours.name} /> : null;
}
