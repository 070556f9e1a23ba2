// Changes that can be taken back: moves and edits by their inverse, deletions by not sending them yet.

import { signal } from "@preact/signals";
import { reasonOf } from "../api/errors";
import { text } from "../text";
import { dismiss, tell, tellFailure, tellRefusal } from "./messages";

export interface Step {
  /** The change in words, for the message after it was taken back. */
  name: string;
  undo: () => unknown;
}

/** Time in which a deletion can be taken back: the service's is final. */
export const GRACE_MS = 10_000;
const MOST = 50;

const steps = signal<readonly Step[]>([]);
/** Steps that are being taken back. */
let undoing = 0;
/** Deletions that are not sent yet. */
const waiting = new Set<() => Promise<void>>();

export function canUndo(): boolean {
  return steps.value.length > 0;
}

/**
 * Notes a change that is made, also while it is still sent: who undoes at once means this one. Taking one back is no
 * change of its own, or the steps before it are never reached. The returned function forgets a change that is refused.
 */
export function record(step: Step): () => void {
  if (undoing > 0) return () => {};
  steps.value = [...steps.value.slice(1 - MOST), step];
  return () => {
    steps.value = steps.value.filter((one) => one !== step);
  };
}

/** Takes back the last change. */
export async function undo(): Promise<void> {
  const step = steps.value.at(-1);
  if (step) await undoStep(step);
  else tell(text.undo.nothing);
}

/** Takes back a change, unless that was done. */
export async function undoStep(step: Step): Promise<void> {
  if (!steps.value.includes(step)) return;
  steps.value = steps.value.filter((one) => one !== step);
  undoing += 1;
  try {
    await step.undo();
    tell(text.undo.done(step.name));
  } catch (error) {
    tellFailure(error);
  } finally {
    undoing -= 1;
  }
}

interface Deletion {
  name: string;
  /** The message in which it can be taken back. Defaults to the deletion of the name. */
  says?: string;
  /** Takes the thing out of view at once. */
  hide: () => void;
  /** Shows it again: the person took the deletion back, or the service refuses it. */
  restore: () => void;
  send: () => Promise<unknown>;
}

/** Deletes something after ten seconds in which the person can take it back. */
export function deleteLater({ name, says = text.undo.deleted(name), hide, restore, send }: Deletion): void {
  hide();
  const finish = async () => {
    end();
    try {
      await send();
    } catch (error) {
      restore();
      tellRefusal(text.undo.refused(name, reasonOf(error)), error);
    }
  };
  const timer = setTimeout(() => void finish(), GRACE_MS);
  const step: Step = {
    name,
    undo: () => {
      end();
      restore();
    },
  };
  const message = tell(says, {
    lifetimeMs: GRACE_MS,
    act: { name: text.undo.title, run: step.undo },
  });
  const end = () => {
    clearTimeout(timer);
    waiting.delete(finish);
    dismiss(message);
    steps.value = steps.value.filter((one) => one !== step);
  };
  waiting.add(finish);
  record(step);
}

/** Sends the deletions that still wait: the page is left. */
export async function sendWaiting(): Promise<void> {
  await Promise.all([...waiting].map((finish) => finish()));
}
