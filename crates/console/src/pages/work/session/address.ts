// The page of what an agent names.

import type { OpenSession } from "../../../model/work/open-session";
import { projectHref } from "../../../model/content/project";
import type { Made } from "../../../model/work/tool-call";

export const objectHref = ({ opened: { project, branch } }: OpenSession, object: string) =>
  projectHref(project, "", branch, { object });

/** The page of an object or a card; a card is shown by a board that it is on. */
export function hrefOf(open: OpenSession, { kind, id, team }: Made): string {
  const { project } = open.opened;
  if (kind === "object") return objectHref(open, id);
  return team ? `/orgs/${project.ownerId}/teams/${team}?card=${id}` : `/projects/${project.id}/cards/${id}`;
}
