// A text whose keys of cards are links.

import { useEffect, useMemo } from "preact/hooks";
import { piecesOf, projectPart } from "../../model/planning/mentions";
import { hrefOfKey, keyedProjects, readProjectKeys, type KeyedProject } from "../../model/planning/project-keys";

/** Where a text stands: its project, and the page that shows its cards. */
export interface MentionPlace {
  project: KeyedProject;
  /** The address of a card that is open beside the text's page; undefined for other cards. */
  near?: (key: string) => string | undefined;
}

/** A text without markup; its keys of known projects lead to their cards. */
export function Mentions({ said, place: { project, near } }: { said: string; place: MentionPlace }) {
  const pieces = useMemo(() => piecesOf(said), [said]);
  const isFar = pieces.some((piece) => typeof piece !== "string" && projectPart(piece.key) !== project.key);
  useEffect(() => { if (isFar) void readProjectKeys(); }, [isFar]);
  return (
    <>
      {pieces.map((piece, at) => {
        if (typeof piece === "string") return piece;
        const href = near?.(piece.key) ?? hrefOfKey(piece.key, project, isFar ? keyedProjects.value : []);
        return href ? <a key={at} class="mention" href={href}>{piece.key}</a> : piece.key;
      })}
    </>
  );
}
