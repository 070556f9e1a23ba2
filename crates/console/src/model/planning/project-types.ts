// The types of cards that a project defines, as its settings show and change them.

import { signal } from "@preact/signals";
import { cardTypeApi, type CardTypeApi, type CardTypeChanges, type CardTypeDefinition,
  type NewCardType } from "../../api/planning/card-types";
import { keepEqual } from "../equal";
import { record } from "../undo";
import { typeName } from "./card-kinds";

/** A type as it is typed: its checklist has a line for each entry. */
export interface TypedCardType {
  name: string;
  description: string;
  lines: string;
}

/** A type as its form begins. */
export const typedCardType = (type?: CardTypeDefinition): TypedCardType => ({
  name: type?.name ?? "", description: type?.description ?? "", lines: type?.checklist.join("\n") ?? "",
});

/** The entries of a checklist that is typed; empty lines are left out. */
export const entriesOf = (lines: string) => lines.split("\n").map((line) => line.trim()).filter(Boolean);

/** The request for a new type. */
export const newCardType = ({ name, description, lines }: TypedCardType): NewCardType =>
  ({ name: name.trim(), description, checklist: entriesOf(lines) });

/** The differences from the type, or null. */
export function changesOfType(type: CardTypeDefinition, { description, lines }: TypedCardType): CardTypeChanges | null {
  const checklist = entriesOf(lines);
  const isSame = checklist.join("\n") === type.checklist.join("\n");
  const changes = { ...(description === type.description ? {} : { description }), ...(isSame ? {} : { checklist }) };
  return Object.keys(changes).length === 0 ? null : changes;
}

export class ProjectTypes {
  /** By name. */
  readonly all = signal<readonly CardTypeDefinition[]>([]);
  readonly #project: string;
  readonly #api: CardTypeApi;

  constructor(project: string, api: CardTypeApi = cardTypeApi) {
    [this.#project, this.#api] = [project, api];
  }

  async load(): Promise<void> {
    this.all.value = keepEqual(this.all.peek(), await this.#api.list(this.#project));
  }

  async create(type: NewCardType, key: string): Promise<void> {
    this.#put(await this.#api.create(this.#project, type, key));
  }

  async change(type: CardTypeDefinition, changes: CardTypeChanges): Promise<void> {
    await this.#change(type.id, changes);
    const { description, checklist } = type;
    record({ name: typeName(type.name), undo: () => this.#change(type.id, { description, checklist }) });
  }

  /** Cards keep the name. */
  async remove(type: CardTypeDefinition): Promise<void> {
    await this.#api.remove(this.#project, type.id);
    this.all.value = this.all.peek().filter(({ id }) => id !== type.id);
  }

  async #change(id: string, changes: CardTypeChanges): Promise<void> {
    this.#put(await this.#api.change(this.#project, id, changes));
  }

  #put(type: CardTypeDefinition): void {
    const others = this.all.peek().filter(({ id }) => id !== type.id);
    this.all.value = [...others, type].toSorted((one, other) => (one.name < other.name ? -1 : 1));
  }
}
