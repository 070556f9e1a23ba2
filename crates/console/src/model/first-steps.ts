// The first steps of a person in a new project: which are done. The tab keeps them.

import { signal, type ReadonlySignal } from "@preact/signals";
import { answer, api } from "../api/client";
import { readStored, store } from "../api/storage";

export interface Steps {
  project: string;
  hasFile: boolean;
  /** The address of the board; empty until there is one. */
  board: string;
}

const KEY = "first-steps";
const kept = signal<Steps | null>(null);
export const steps: ReadonlySignal<Steps | null> = kept;

export const isDone = ({ hasFile, board }: Steps) => hasFile && board !== "";

function keep(now: Steps | null): void {
  kept.value = now;
  store(KEY, now && !isDone(now) ? now : null);
}

/** Begins the steps with a new project. */
export function beginSteps(project: string, hasFile: boolean): void {
  keep({ project, hasFile, board: "" });
}

export function endSteps(): void {
  keep(null);
}

/** Notes that the project has a board. */
export function boardMade(board: string): void {
  const now = kept.peek();
  if (now) keep({ ...now, board });
}

/** Reads which steps are done, when a page opens. Steps that are all done end with the page of the last one. */
export async function lookAtSteps(path: string): Promise<void> {
  const now = kept.peek() ?? readStored<Steps>(KEY);
  if (now && isDone(now) && path !== now.board) return keep(null);
  kept.value = now;
  if (!now || now.hasFile) return;
  const params = { path: { projectId: now.project } };
  const { tree } = await answer(api.GET("/api/v2/projects/{projectId}/tree", { params }));
  const latest = kept.peek();
  if (latest?.project === now.project && tree.some(({ file }) => file)) keep({ ...latest, hasFile: true });
}
