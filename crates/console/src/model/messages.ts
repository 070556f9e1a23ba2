// Messages to the person. The frame shows them.

import { signal } from "@preact/signals";
import { ApiError, reasonOf } from "../api/errors";

export interface Message {
  id: number;
  message: string;
  bad?: boolean;
  act?: { name: string; run: () => unknown };
  lifetimeMs?: number;
  /** It is no longer true once the service is reached again. */
  isAway?: boolean;
}

export const messages = signal<readonly Message[]>([]);
let last = 0;

/** Shows a message. One with the same words begins again. Returns its id. */
export function tell(message: string, options: Omit<Message, "id" | "message"> = {}): number {
  last += 1;
  messages.value = [...messages.value.filter((one) => one.message !== message), { id: last, message, ...options }];
  return last;
}

/** Shows why something failed. */
export function tellFailure(error: unknown, act?: Message["act"]): void {
  tellRefusal(reasonOf(error), error, act);
}

/** Shows a refusal in words of its own. It goes where the service was away, once that is back. */
export function tellRefusal(message: string, error: unknown, act?: Message["act"]): void {
  const isAway = error instanceof ApiError && error.status === 0;
  tell(message, { bad: true, isAway, ...(act ? { act } : {}) });
}

export function dismiss(id: number): void {
  messages.value = messages.value.filter((one) => one.id !== id);
}

/** Takes away messages about a service that is reached again. */
export function dismissAway(): void {
  if (messages.peek().some(({ isAway }) => isAway)) messages.value = messages.peek().filter(({ isAway }) => !isAway);
}
