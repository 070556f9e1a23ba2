// A text whose keys of cards are links, and whose handles of people are marked.

import { useEffect, useMemo } from "preact/hooks";
import { isKey, piecesOf, projectPart } from "../../model/planning/mentions";
import { hrefOfKey, keyedProjects, readProjectKeys, type KeyedProject } from "../../model/planning/project-keys";

/** Where a text stands: its project, and the page that shows its cards. */
export interface MentionPlace {
  project: KeyedProject;
  /** The address of a card that is open beside the text's page; undefined for other cards. */
  near?: (key: string) => string | undefined;
  /** Names of the people whom the text may mention, by their handles: the service has found them. */
  people?: ReadonlyMap<string, string>;
}

/** A text without markup; its keys of known projects lead to their cards, and people have their names as titles. */
export function Mentions({ said, place: { project, near, people } }: { said: string; place: MentionPlace }) {
  const pieces = useMemo(() => piecesOf(said), [said]);
  const isFar = pieces.some((piece) => isKey(piece) && projectPart(piece.key) !== project.key);
  useEffect(() => { if (isFar) void readProjectKeys(); }, [isFar]);
  return (
    <>
      {pieces.map((piece, at) => {
        if (typeof piece === "string") return piece;
        if (!isKey(piece)) return <Person key={at} handle={piece.handle} people={people} />;
        const href = near?.(piece.key) ?? hrefOfKey(piece.key, project, isFar ? keyedProjects.value : []);
        return href ? <a key={at} class="mention" href={href}>{piece.key}</a> : piece.key;
      })}
    </>
  );
}

/** A person's handle as it is written; plain text where nobody is mentioned. */
function Person({ handle, people }: { handle: string; people: ReadonlyMap<string, string> | undefined }) {
  const name = people?.get(handle.toLowerCase());
  return name === undefined ? <>@{handle}</> : <span class="mentioned" title={name}>@{handle}</span>;
}
