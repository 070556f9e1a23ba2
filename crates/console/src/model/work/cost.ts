// The cost of a session beside its budget. Who may not see costs sees the budget alone.

import { signal } from "@preact/signals";
import { ApiError } from "../../api/errors";

const READ_MS = 500;

export class Cost {
  readonly budget = signal<number | null>(null);
  /** Null until it is known, and for those who may not see it. */
  readonly spent = signal<number | null>(null);
  readonly #read: () => Promise<number>;
  #isHidden = false;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(budget: number | null, read: () => Promise<number>) {
    this.budget.value = budget;
    this.#read = read;
  }

  async read(): Promise<void> {
    if (this.#isHidden) return;
    try {
      this.spent.value = await this.#read();
    } catch (error) {
      this.#isHidden = error instanceof ApiError && error.status === 403;
    }
  }

  /** Reads after a moment, once for all events of it. */
  later(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.read(), READ_MS);
  }

  /** A budget that a refusal has named. */
  limit(credits: number): void {
    if (credits > 0) this.budget.value = credits;
  }

  close(): void {
    clearTimeout(this.#timer);
  }
}

/** Credits with as many places as tell something. */
export const creditsOf = (amount: number) =>
  new Intl.NumberFormat(undefined, { maximumSignificantDigits: 4 }).format(amount);
