// The commits of a branch, newest first.

import { signal } from "@preact/signals";
import { readCommits, type Commit } from "../../api/content/versions";
import { keepEqual } from "../equal";

export class History {
  readonly commits = signal<readonly Commit[]>([]);
  readonly next = signal<string | null>(null);
  readonly #project: string;
  readonly #branch: string;
  readonly #read: typeof readCommits;

  constructor(project: string, branch: string, read = readCommits) {
    this.#project = project;
    this.#branch = branch;
    this.#read = read;
  }

  /** Reads the newest commits. Those that were shown stay below them. */
  async load(): Promise<void> {
    const { commits, next } = await this.#read(this.#project, this.#branch, null);
    const known = new Map(this.commits.value.map((commit) => [commit.hash, commit]));
    const last = commits.at(-1)?.hash;
    const at = this.commits.value.findIndex(({ hash }) => hash === last);
    const rest = at < 0 ? [] : this.commits.value.slice(at + 1);
    this.commits.value = [...commits.map((commit) => keepEqual(known.get(commit.hash), commit)), ...rest];
    if (rest.length === 0) this.next.value = next;
  }

  /** Reads older ones. */
  async more(): Promise<void> {
    if (!this.next.value) return;
    const { commits, next } = await this.#read(this.#project, this.#branch, this.next.value);
    this.commits.value = [...this.commits.value, ...commits];
    this.next.value = next;
  }
}

/** The id in an address that stands for a person. */
const STANDS_FOR = /^([0-9a-f-]{36})@users\.noreply\./;

/** The id of a commit's author; undefined if the commit has the person's own address. */
export function personOf({ email }: Commit["author"]): string | undefined {
  return STANDS_FOR.exec(email)?.[1];
}

/** The first line of a commit's message, and the rest. */
export function messageOf({ message }: Pick<Commit, "message">): { subject: string; rest: string } {
  const [subject = "", ...rest] = message.split("\n");
  return { subject, rest: rest.join("\n").trim() };
}
