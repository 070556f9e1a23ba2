// Executions of code in a session: the code that is edited, what runs, and its output as it comes.

import { batch, computed, signal } from "@preact/signals";
import { ApiError } from "../../api/errors";
import { executionApi, type CodeObject, type Execution, type ExecutionApi } from "../../api/work/executions";
import { newKey } from "../../api/persist";
import type { SessionEvent, SessionPath } from "../../api/work/sessions";
import type { Draft } from "../../api/storage";
import { text } from "../../text";
import { tellFailure } from "../messages";

/** The languages that can be executed, by the value that the service knows. */
export const LANGUAGES = { javascript: "JavaScript", python: "Python" } as const;
export type Language = keyof typeof LANGUAGES;
const FILES: Record<Language, string> = { javascript: "script.js", python: "script.py" };
/** New code to begin with. */
const BEGINNINGS: Record<Language, string> = {
  javascript: "console.log(\"Input:\", atelier.input);\n",
  python: "print(\"Input:\", atelier.input)\n",
};

type Of<Type extends SessionEvent["type"]> = Extract<SessionEvent, { type: Type }>;
/** An execution of which an event came first has no more than that. */
export type KnownExecution = Pick<Execution, "executionId" | "objectId" | "createdAt"> & Partial<Execution>;

export const languageOf = ({ data }: Pick<CodeObject, "data">): Language | undefined => {
  const language = String(data.language ?? "").toLowerCase();
  return language in LANGUAGES ? (language as Language) : undefined;
};

export const isOpen = ({ state }: KnownExecution) => state === "queued" || state === "running";

interface Options {
  path: SessionPath;
  /** The project with the session's branch, as the API names it. */
  place: string;
  /** The draft of an object's code; of new code with an empty id. */
  draft: (object: string) => Draft;
  objects: readonly CodeObject[];
  executions: readonly Execution[];
}

export class Executions {
  /** The Code objects that can run. */
  readonly objects = signal<readonly CodeObject[]>([]);
  /** The object that is edited; empty for new code. */
  readonly object = signal("");
  readonly name = signal("");
  readonly language = signal<Language>("javascript");
  readonly source = signal("");
  readonly input = signal("{}");
  readonly isRunning = signal(false);
  readonly shown = signal("");
  readonly #known = signal<ReadonlyMap<string, KnownExecution>>(new Map());
  readonly #outputs = signal<ReadonlyMap<string, string>>(new Map());
  readonly all = computed(() =>
    [...this.#known.value.values()].toSorted((one, other) => other.createdAt.localeCompare(one.createdAt)));
  readonly current = computed(() => this.#known.value.get(this.shown.value));
  readonly output = computed(() => this.#outputs.value.get(this.shown.value) ?? "");
  readonly #options: Options;
  readonly #api: ExecutionApi;
  #saved = "";
  /** Keys of the creation and the execution of one try. */
  #keys = [newKey(), newKey()] as const;

  constructor(options: Options, api: ExecutionApi = executionApi) {
    [this.#options, this.#api] = [options, api];
    this.objects.value = options.objects.filter((object) => languageOf(object));
    this.#known.value = new Map(options.executions.map((one) => [one.executionId, one]));
    this.edit("");
  }

  /** Edits an object, or new code; what was typed before is kept in the tab. */
  edit(id: string): void {
    const object = this.objects.peek().find((one) => one.id === id);
    batch(() => {
      this.object.value = object?.id ?? "";
      this.language.value = object ? languageOf(object) ?? "javascript" : this.language.peek();
      this.#saved = object ? String(object.data.text ?? "") : BEGINNINGS[this.language.peek()];
      this.name.value = object?.name ?? FILES[this.language.peek()];
      this.source.value = this.#draft().read() ?? this.#saved;
    });
  }

  /** Chooses the language of new code; a name and a text that nobody typed follow. */
  speak(language: Language): void {
    if (this.name.peek() === FILES[this.language.peek()]) this.name.value = FILES[language];
    if (this.source.peek() === this.#saved) this.source.value = BEGINNINGS[language];
    [this.language.value, this.#saved] = [language, BEGINNINGS[language]];
  }

  type(source: string): void {
    this.source.value = source;
    if (source === this.#saved) this.#draft().end();
    else this.#draft().keep(source);
  }

  nameOf(object: string): string {
    return this.objects.value.find(({ id }) => id === object)?.name ?? text.executions.gone;
  }

  /** Saves the code to its object, and runs it. */
  async run(): Promise<void> {
    if (this.isRunning.peek()) return;
    const input = inputOf(this.input.peek());
    this.isRunning.value = true;
    try {
      const object = await this.#save();
      const execution = await this.#api.execute(this.#options.path, object, input, this.#keys[1]);
      // Events of its start may come before the answer, and are newer.
      this.#set({ ...execution, ...this.#known.peek().get(execution.executionId) });
      this.shown.value = execution.executionId;
      this.#keys = [newKey(), newKey()];
    } catch (error) {
      // Another body is another request.
      if (error instanceof ApiError && error.status > 0) this.#keys = [newKey(), newKey()];
      throw error;
    } finally {
      this.isRunning.value = false;
    }
  }

  /** Shows an execution; the whole output of one that has ended is read. */
  choose(execution: string): void {
    this.shown.value = execution;
    if (this.#known.peek().get(execution)?.endedAt) void this.#read(execution);
  }

  async stop(execution: string): Promise<void> {
    try {
      this.#take(await this.#api.stop(this.#options.path, execution));
    } catch (error) {
      tellFailure(error);
    }
  }

  heard(event: SessionEvent): void {
    if (event.type === "execution.output") this.#heardOutput(event);
    if (event.type === "execution.changed") this.#heardChange(event);
  }

  #heardOutput({ data: { executionId, text: more } }: Of<"execution.output">): void {
    const outputs = this.#outputs.peek();
    // The whole output of one that has ended is read at once.
    if (this.#known.peek().get(executionId)?.endedAt && outputs.has(executionId)) return;
    this.#outputs.value = new Map(outputs).set(executionId, (outputs.get(executionId) ?? "") + more);
  }

  #heardChange({ occurredAt, data }: Of<"execution.changed">): void {
    const { executionId, objectId = "", state, failure = null } = data;
    const known = this.#known.peek().get(executionId) ?? { executionId, objectId, createdAt: occurredAt };
    if (known.endedAt) return;
    const startedAt = known.startedAt ?? (state === "running" ? occurredAt : null);
    const now = { ...known, state, failure, startedAt, endedAt: null };
    if (isOpen(now)) return this.#set(now);
    this.#set({ ...now, endedAt: occurredAt });
    if (executionId === this.shown.peek()) void this.#read(executionId);
  }

  async #save(): Promise<string> {
    const [{ place }, source, id] = [this.#options, this.source.peek(), this.object.peek()];
    const draft = this.#draft();
    if (id && source !== this.#saved) {
      await this.#api.change(place, id, source);
      this.objects.value = this.objects.value.map((one) =>
        one.id === id ? { ...one, data: { ...one.data, text: source } } : one);
      this.#saved = source;
    }
    if (id) {
      draft.end();
      return id;
    }
    const name = this.name.peek();
    const made = await this.#api.create(place, name, LANGUAGES[this.language.peek()], source, this.#keys[0]);
    draft.end();
    this.objects.value = [...this.objects.value, { ...made, name }];
    this.edit(made.id);
    return made.id;
  }

  async #read(execution: string): Promise<void> {
    const read = await this.#api.read(this.#options.path, execution).catch(() => null);
    if (read) this.#take(read);
  }

  #take(execution: Execution): void {
    batch(() => {
      this.#set(execution);
      this.#outputs.value = new Map(this.#outputs.value).set(execution.executionId, execution.output ?? "");
    });
  }

  #set(execution: KnownExecution): void {
    this.#known.value = new Map(this.#known.value).set(execution.executionId, execution);
  }

  #draft(): Draft {
    return this.#options.draft(this.object.peek());
  }
}

function inputOf(source: string): object {
  try {
    const value = JSON.parse(source || "{}") as unknown;
    if (value && typeof value === "object" && !Array.isArray(value)) return value;
  } catch {
    // The same words as for another kind of value.
  }
  throw new Error(text.executions.badInput);
}
