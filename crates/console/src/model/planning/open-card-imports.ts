// The imports of a project with what stands around their page, and the right to import.

import { openProject, type OpenedProject } from "../content/project";
import { mayWriteCards } from "./card-writers";
import { CardImports } from "./card-imports";

export interface OpenCardImports {
  opened: OpenedProject;
  /** Null where the project belongs to a person: imports belong to organizations. */
  imports: CardImports | null;
  mayWrite: boolean;
}

export async function openCardImports(projectId: string): Promise<OpenCardImports> {
  const opened = await openProject(projectId, null);
  const { project, organizations, caller } = opened;
  if (!organizations.some(({ id }) => id === project.ownerId)) return { opened, imports: null, mayWrite: false };
  const imports = new CardImports(project);
  const [mayWrite] = await Promise.all([mayWriteCards(projectId, caller.id), imports.load()]);
  return { opened, imports, mayWrite };
}
