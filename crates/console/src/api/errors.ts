// Refusals of the service, in words for people.

import { text } from "../text";
import type { components } from "./generated/control";

type ErrorBody = Partial<components["schemas"]["ErrorBody"]>;

/** A broken rule of a request. */
export interface Issue {
  path: string;
  rule: string;
  message: string;
}

/** A refusal of the service, or a request without an answer (`status` 0). Its message is for people. */
export class ApiError extends Error {
  readonly status: number;
  readonly code: string;
  readonly details: Record<string, unknown>;

  constructor(status: number, error: ErrorBody | undefined) {
    const details = (error?.details ?? {}) as Record<string, unknown>;
    super(inWords(issuesOf(details), () => undefined) || error?.message || text.errors.failed);
    this.status = status;
    this.code = error?.code ?? "";
    this.details = details;
  }

  /** The broken rules, if that is why. */
  get issues(): Issue[] {
    return issuesOf(this.details);
  }

  /** The message with a form's own names of fields. */
  say(label: (field: string) => string | undefined): string {
    return inWords(this.issues, label) || this.message;
  }

  /** True if the same request may succeed later. */
  get isPassing(): boolean {
    return this.status === 0 || this.status === 429 || this.status >= 500;
  }
}

/** The error of a request without an answer. */
export function networkError(): ApiError {
  return new ApiError(0, { message: text.errors.network });
}

/** The error that an answer holds. */
export async function refusalOf(answer: Response): Promise<ApiError> {
  const body = await answer.json().catch(() => ({})) as { error?: ErrorBody };
  return new ApiError(answer.status, body.error);
}

/** The message of anything thrown. */
export function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function issuesOf(details: Record<string, unknown>): Issue[] {
  return Array.isArray(details.issues) ? details.issues as Issue[] : [];
}

/** Broken rules with fields by their names, and days instead of instants. */
function inWords(issues: Issue[], label: (field: string) => string | undefined): string {
  const known: Record<string, string> = text.errors.fields;
  return issues.map(({ path, message }) => {
    const field = path.replace(/^(body|query)\.(operations\[\d+\]\.)?/, "");
    const said = message.replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, (instant) =>
      new Date(instant).toLocaleDateString(undefined, { day: "numeric", month: "short", year: "numeric" }));
    // Custom fields are named by the project.
    return `${label(field) ?? known[field] ?? field.replace(/^fields\./, "")} ${said}`;
  }).join("; ");
}
