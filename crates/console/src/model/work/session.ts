// A session with an agent as it is followed: its conversation, status, question and cost, and the actions on it.

import { computed, signal } from "@preact/signals";
import { ApiError } from "../../api/errors";
import {
  sessionApi,
  textOf,
  type Approval,
  type Decision,
  type Message,
  type Session,
  type SessionApi,
  type SessionEvent,
} from "../../api/work/sessions";
import { text } from "../../text";
import { Conversation } from "./conversation";
import { Cost } from "./cost";
import { tellFailure } from "../messages";

/** The statuses of a session whose agent works. */
const BUSY = new Set<string>(["starting", "running"]);
export const isBusy = (status: string) => BUSY.has(status);
/** Questions this much older than the page were read with it. */
const READ_MS = 60_000;
const CHANGES = ["added", "changed", "deleted"] as const;

type Of<Type extends SessionEvent["type"]> = Extract<SessionEvent, { type: Type }>;

/** A pause for which the model's server asks. */
export interface Pause {
  /** When the run goes on, in milliseconds. */
  until: number;
  /** The words of the server. */
  reason: string;
}

export class OpenedSession {
  readonly session: Session;
  readonly talk = new Conversation();
  readonly cost: Cost;
  readonly status = signal<string>("");
  readonly question = signal<Approval | null>(null);
  readonly pause = signal<Pause | null>(null);
  /** The session's state in one word: its status, or what its run waits for. */
  readonly state = computed(() =>
    (this.question.value ? "asking" : this.pause.value ? "waiting" : this.status.value));
  readonly isClosed = signal(false);
  readonly isExhausted = signal(false);
  /** The end of a run in words, for screen readers. */
  readonly spoken = signal("");
  readonly isBusy = computed(() => isBusy(this.status.value));
  /** The first line of the first task. */
  readonly title = computed(() => {
    const first = this.talk.entries.value.find((one) => one.kind === "message" && one.message.role === "user");
    return first?.kind === "message" ? textOf(first.message).split("\n")[0] ?? "" : "";
  });
  readonly #api: SessionApi;
  readonly #opened: number;
  /** The run that has stopped for a question, as its events follow one another. */
  #asking = "";

  constructor(session: Session, messages: readonly Message[], api: SessionApi = sessionApi, now = Date.now()) {
    [this.session, this.#api, this.#opened] = [session, api, now];
    this.status.value = session.status;
    this.isClosed.value = session.closedAt !== null || session.status === "no_session";
    this.cost = new Cost(session.budget?.credits ?? null, () => api.cost(this.path));
    for (const message of messages) this.talk.message(message);
  }

  get path() {
    return { projectId: this.session.projectId, sessionId: this.session.sessionId };
  }

  /** Asks what waits for an answer. */
  async readQuestion(): Promise<void> {
    const [first] = await this.#api.questions(this.path);
    if (first) this.ask(first);
  }

  /** Shows a question, unless it is shown. */
  ask(question: Approval): void {
    if (this.question.peek()?.approvalId !== question.approvalId) this.question.value = question;
    this.talk.wait(question.callId);
  }

  /** Reads all again: the stream has lost events. */
  async reload(): Promise<void> {
    for (const message of await this.#api.messages(this.path)) this.talk.message(message);
    await this.readQuestion();
    this.cost.later();
  }

  prompt(words: string, key: string): Promise<void> {
    return this.#api.prompt(this.path, words, key);
  }

  /** A prompt was refused. */
  refused(error: unknown): void {
    this.talk.settle();
    if (error instanceof ApiError && error.code === "CREDITS_EXHAUSTED") this.#exhaust(error.details.budget);
  }

  stop(): Promise<void> {
    return this.#api.stop(this.path);
  }

  close(): Promise<void> {
    return this.#api.close(this.path);
  }

  /** Answers the question; a refusal leaves it. */
  async decide(decision: Decision): Promise<void> {
    const asked = this.question.peek();
    if (!asked) return;
    await this.#api.decide(this.path, asked.approvalId, decision);
    if (this.question.peek() === asked) this.question.value = null;
  }

  heard(event: SessionEvent): void {
    const at = "occurredAt" in event ? Date.parse(event.occurredAt) : 0;
    // Uploads and executions of the session tell nothing of its run.
    if ("taskId" in event.data) this.resumed();
    switch (event.type) {
      case "message.created":
        this.talk.message(event.data);
        return this.cost.later();
      case "message.delta": return this.talk.write(event.data.text, at);
      case "tool.started": return this.talk.started(event.data.callId, at);
      case "tool.finished": return this.talk.finished(event.data.callId, at, event.data.isError);
      case "approval.requested": return this.#asked(event, at);
      case "approval.answered":
        if (this.question.peek()?.callId === event.data.callId) this.question.value = null;
        return;
      case "run.waiting": return this.#waits(event, at);
      case "run.status": return this.#run(event, at);
      case "objects.changed": return this.#changed(event, at);
      case "session.closed":
        [this.status.value, this.isClosed.value] = ["no_session", true];
        return;
      case "resync": return void this.reload().catch(tellFailure);
    }
  }

  /** The pause is over. */
  resumed(): void {
    this.pause.value = null;
  }

  #waits({ data: { pauseSecs, reason } }: Of<"run.waiting">, at: number): void {
    const until = at + pauseSecs * 1000;
    // The stream begins with pauses that are over.
    if (until > this.#opened) this.pause.value = { until, reason };
  }

  #asked({ data: { taskId } }: Of<"approval.requested">, at: number): void {
    this.#asking = taskId;
    if (at > this.#opened - READ_MS) void this.readQuestion().catch(tellFailure);
  }

  #run({ id, data: { status, taskId, failure } }: Of<"run.status">, at: number): void {
    this.status.value = status;
    if (isBusy(status)) return;
    const asks = status === "paused" && this.#asking === taskId;
    this.#asking = "";
    if (asks) return;
    this.talk.end();
    if (status === "paused") this.talk.note({ key: id, at, look: "plain", text: text.sessions.stopped });
    if (status === "failed") {
      const reason = text.sessions.failed(failure?.message ?? text.errors.failed);
      this.talk.note({ key: id, at, look: "failure", text: reason });
    }
    if (failure?.code === "CREDITS_EXHAUSTED") this.#exhaust((failure.details as { budget?: unknown } | null)?.budget);
    if (at > this.#opened) this.spoken.value = status === "completed" ? text.sessions.done : "";
    this.cost.later();
  }

  #changed({ id, data }: Of<"objects.changed">, at: number): void {
    for (const kind of CHANGES) {
      const count = data[`${kind}Count`];
      const object = kind === "deleted" ? undefined : data[kind]?.[0];
      if (count) this.talk.note({ key: `${id} ${kind}`, at, look: kind, text: text.sessions[kind](count), object });
    }
  }

  #exhaust(budget: unknown): void {
    this.cost.limit(Number(budget));
    this.isExhausted.value = true;
  }
}

