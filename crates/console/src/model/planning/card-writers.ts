// The right to write cards of a project, as far as its members show it.

import { readMembers } from "../../api/content/projects";

type ReadMembers = (projectId: string) => Promise<readonly { userId: string; role: string }[]>;

/** True if a person may write cards of a project. Viewers may not list its members. */
export async function mayWriteCards(project: string, person: string, read: ReadMembers = readMembers) {
  const members = await read(project).catch(() => []);
  return members.some(({ userId, role }) => userId === person && role !== "viewer");
}

/** True if a person may write cards of one of the projects. */
export async function mayWriteSome(
  projects: readonly { id: string }[],
  person: string,
  read: ReadMembers = readMembers,
): Promise<boolean> {
  for (const { id } of projects) if (await mayWriteCards(id, person, read)) return true;
  return false;
}
