// A project's sessions: the task, status and cost of each. Those without a task, which uploads and executions open, are
// listed on demand.

import { computed, signal } from "@preact/signals";
import { readCosts, readQuestions, readSessions, readTask, type Session } from "../../api/work/sessions";
import { isBusy } from "./session";

export const sessionsApi = { sessions: readSessions, costs: readCosts, task: readTask, questions: readQuestions };
export type SessionsApi = typeof sessionsApi;

/** Sessions whose first task is read, so that a long list costs few requests. */
const TITLED = 50;

export class Sessions {
  readonly all = signal<readonly Session[]>([]);
  readonly costs = signal<ReadonlyMap<string, number>>(new Map());
  /** First tasks by session; empty without a task. */
  readonly tasks = signal<ReadonlyMap<string, string>>(new Map());
  /** Sessions that wait for a person's answer. */
  readonly asking = signal<ReadonlySet<string>>(new Set());
  readonly withTask = computed(() =>
    // Nobody has prompted an idle one.
    this.all.value.filter(({ sessionId, status }) => status !== "idle" && this.tasks.value.get(sessionId) !== ""));
  readonly othersCount = computed(() => this.all.value.length - this.withTask.value.length);
  readonly #projectId: string;
  readonly #api: SessionsApi;

  constructor(projectId: string, api: SessionsApi = sessionsApi) {
    [this.#projectId, this.#api] = [projectId, api];
  }

  async reload(): Promise<void> {
    const projectId = this.#projectId;
    const [all, costs] = await Promise.all([this.#api.sessions(projectId), this.#api.costs(projectId)]);
    const known = this.tasks.peek();
    const untold = all.filter(({ status }) => status !== "idle").slice(0, TITLED)
      .filter(({ sessionId, status }) =>
        !known.has(sessionId) || (known.get(sessionId) === "" && isBusy(status)));
    const read = await Promise.all(untold.map(({ sessionId }) =>
      this.#api.task({ projectId, sessionId }).then((task) => [sessionId, task] as const, () => null)));
    this.tasks.value = new Map([...known, ...read.filter((one) => one !== null)]);
    [this.all.value, this.costs.value] = [all, costs];
    const paused = all.filter(({ status }) => status === "paused").slice(0, TITLED);
    const asking = await Promise.all(paused.map(({ sessionId }) =>
      this.#api.questions({ projectId, sessionId }).then(({ length }) => (length > 0 ? [sessionId] : []), () => [])));
    this.asking.value = new Set(asking.flat());
  }
}
