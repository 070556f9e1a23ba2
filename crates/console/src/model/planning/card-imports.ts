// Imports of a project's cards from other planning tools: what is chosen, its trial, and the imports that were begun.

import { computed, signal } from "@preact/signals";
import type { CustomField } from "../../api/planning/custom-fields";
import { ApiError } from "../../api/errors";
import { importApi, type ImportApi, type ImportRecord, type ImportTool } from "../../api/planning/imports";
import { newKey, pause } from "../../api/persist";
import { text } from "../../text";
import { tellFailure } from "../messages";
import { isActive, isOfCards } from "./custom-fields";
import { columnsOf, decode, fieldMappingOf, hasName, mappingOf, withFields, type Columns, type Meaning }
  from "./import-columns";

export const TOOLS: readonly ImportTool[] = ["jira", "linear", "github", "trello", "csv", "ndjson"];
/** The service's limit. */
const MOST_BYTES = 64 * 1024 * 1024;
/** The beginning of a file in which the names of its columns are. */
const HEAD_BYTES = 256 * 1024;
const POLL_MS = 1000;

/** The time zone of the browser. */
export const ownZone = () => Intl.DateTimeFormat().resolvedOptions().timeZone;

interface Options {
  api?: ImportApi;
  wait?: (ms: number) => Promise<unknown>;
}

export class CardImports {
  readonly tool = signal<ImportTool>("jira");
  readonly file = signal<File | null>(null);
  readonly zone = signal(ownZone());
  /** The columns of the file, where it is a table. */
  readonly columns = signal<Columns>(new Map());
  /** The custom fields that columns can fill. */
  readonly fields = signal<readonly CustomField[]>([]);
  /** The caller's imports into the project, the newest first. */
  readonly all = signal<readonly ImportRecord[]>([]);
  /** The id of the import that the address names. */
  readonly named = signal<string | null>(null);
  /** The import that is shown: the named one, or else one that runs, or the last. */
  readonly shown = computed(() => {
    const [all, named] = [this.all.value, this.named.value];
    return named ? all.find(({ id }) => id === named) : all.find(isRunning) ?? all[0];
  });
  /** The id of the last import that was begun on this page. */
  readonly begun = signal<string | null>(null);
  /** True while a file is on its way. */
  readonly isSending = signal(false);
  readonly #tried = signal<string | null>(null);
  /** True while a trial is shown of what is chosen now. */
  readonly isTried = computed(() => this.#tried.value !== null && this.#tried.value === this.shown.value?.id);
  readonly #project: { id: string; ownerId: string };
  readonly #api: ImportApi;
  readonly #wait: (ms: number) => Promise<unknown>;
  /** Makes a try after a lost answer the same import. */
  #key = newKey();
  #isFollowing = false;
  #isClosed = false;

  constructor(project: { id: string; ownerId: string }, { api = importApi, wait = pause }: Options = {}) {
    [this.#project, this.#api, this.#wait] = [project, api, wait];
  }

  get organization(): string {
    return this.#project.ownerId;
  }

  async load(): Promise<void> {
    const [all, fields] = await Promise.all([this.#api.list(this.#project.ownerId),
      this.#api.fields(this.#project.id)]);
    this.fields.value = fields.filter((field) => isActive(field) && isOfCards(field));
    this.all.value = all.filter(({ projectId }) => projectId === this.#project.id);
    void this.#follow();
  }

  chooseTool(tool: ImportTool): void {
    this.tool.value = tool;
    this.#changed();
  }

  chooseZone(zone: string): void {
    this.zone.value = zone;
    this.#changed();
  }

  /** Takes a file, and reads the names of its columns. */
  async take(file: File | null): Promise<void> {
    this.file.value = file;
    this.columns.value = new Map();
    this.#changed();
    if (!file) return;
    const head = new Uint8Array(await file.slice(0, HEAD_BYTES).arrayBuffer());
    // Another file may have been taken while this one was read.
    if (this.file.peek() === file) {
      this.columns.value = withFields(columnsOf(decode(head)), this.fields.peek());
    }
  }

  mean(column: string, meaning: Meaning): void {
    this.columns.value = new Map(this.columns.peek()).set(column, meaning);
    this.#changed();
  }

  /** Begins an import of what is chosen, or a trial of it; returns its id. */
  async begin(isTrial: boolean): Promise<string> {
    const [file, tool, key] = [this.file.peek(), this.tool.peek(), this.#key];
    const isTable = tool === "csv";
    if (!file) throw new FieldError("file", text.imports.noFile);
    if (file.size > MOST_BYTES) throw new FieldError("file", text.imports.tooLarge);
    if (isTable && !hasName(this.columns.peek())) throw new FieldError("columns", text.imports.noName);
    const columns = isTable ? mappingOf(this.columns.peek()) : null;
    const fields = isTable ? fieldMappingOf(this.columns.peek()) : null;
    const chosen = { file, tool, isTrial, columns, fields, projectId: this.#project.id, zone: this.zone.peek() };
    this.isSending.value = true;
    const record = await this.#api.begin(this.#project.ownerId, chosen, key).catch(refuse)
      .finally(() => { this.isSending.value = false; });
    this.#set(record);
    // What was changed while the file was sent has had no trial.
    if (this.#key === key) this.#tried.value = isTrial ? record.id : null;
    this.#key = newKey();
    [this.begun.value, this.named.value] = [record.id, record.id];
    void this.#follow();
    return record.id;
  }

  close(): void {
    this.#isClosed = true;
  }

  #changed(): void {
    [this.#tried.value, this.#key] = [null, newKey()];
  }

  #set(record: ImportRecord): void {
    const all = this.all.peek();
    const isKnown = all.some(({ id }) => id === record.id);
    this.all.value = isKnown ? all.map((one) => (one.id === record.id ? record : one)) : [record, ...all];
  }

  /** Reads imports that run each second, until all have ended. */
  async #follow(): Promise<void> {
    if (this.#isFollowing) return;
    this.#isFollowing = true;
    try {
      for (let running = this.all.peek().filter(isRunning); running.length > 0; ) {
        await this.#wait(POLL_MS);
        if (this.#isClosed) return;
        await Promise.all(running.map(({ id }) => this.#readAgain(id)));
        running = this.all.peek().filter(isRunning);
      }
    } catch (error) {
      tellFailure(error);
    } finally {
      this.#isFollowing = false;
    }
  }

  async #readAgain(id: string): Promise<void> {
    try {
      this.#set(await this.#api.read(this.#project.ownerId, id));
    } catch (error) {
      // The service is away: the import goes on, and so does the page.
      if (!(error instanceof ApiError) || !error.isPassing) throw error;
    }
  }
}

export const isRunning = ({ state }: Pick<ImportRecord, "state">) => state === "running";

/** A refusal in words of its own, which the form shows beside its field. */
class FieldError extends Error {
  readonly issues: { path: string; message: string }[];

  constructor(field: string, message: string) {
    super(message);
    this.issues = [{ path: field, message }];
  }

  say(): string {
    return this.message;
  }
}

/** The fault of a picker, which shows none, is said by the form. */
function refuse(error: unknown): never {
  const [issue] = error instanceof ApiError ? error.issues : [];
  if (issue?.path === "body.zone") throw new Error(`${text.imports.zone}: ${issue.message}`);
  throw error;
}
