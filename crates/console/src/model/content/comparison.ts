// Changed objects, as pages list them: in the tree's order, what was added or deleted with its parent below it.

import { batch, computed, signal } from "@preact/signals";
import { readTree, type FileRef, type TreeNode } from "../../api/content/objects";
import { compareApi, type CompareApi, type ComparedSides, type ObjectChange } from "../../api/content/versions";
import { text } from "../../text";
import { designsOf } from "./compared-designs";
import type { Comparison, Entry } from "./compared-entry";
import { changedInside, groupBy, inTreeOrder } from "./tree-order";

export const KINDS = ["added", "modified", "deleted"] as const;

/** How many objects were added, changed and deleted, in words. */
export function countsOf({ entries, isPart }: Pick<Comparison, "entries" | "isPart">): string {
  if (isPart) return text.versions.moreThan(entries.length);
  return KINDS.map((kind) => [kind, entries.filter(({ change }) => change === kind).length] as const)
    .filter(([, count]) => count > 0).map(([kind, count]) => text.versions.kinds[kind](count)).join(", ");
}

export interface Nesting {
  /** Entries by the one that they are folded below; those of the list itself by an empty text. */
  below: ReadonlyMap<string, readonly Entry[]>;
  /** The ids of those that an object is folded below, the nearest first. */
  above: (id: string) => readonly string[];
  /** How many entries are below one at any depth. */
  inside: ReadonlyMap<string, number>;
}

/** Folds what was added or deleted together with its parent below that. Parents come before their children. */
export function nested(entries: readonly Entry[]): Nesting {
  const known = new Map(entries.map((entry) => [entry.objectId, entry]));
  const aboveOf = ({ change, parentId }: Entry) =>
    (change !== "modified" && known.get(parentId)?.change === change ? parentId : "");
  const inside = new Map<string, number>();
  for (const entry of entries.toReversed()) {
    const above = aboveOf(entry);
    if (above) inside.set(above, (inside.get(above) ?? 0) + (inside.get(entry.objectId) ?? 0) + 1);
  }
  const above = (id: string) => {
    const found: string[] = [];
    let at = known.get(id);
    for (let next = at && aboveOf(at); next && !found.includes(next); next = at && aboveOf(at)) {
      found.push(next);
      at = known.get(next);
    }
    return found;
  };
  return { below: groupBy(entries, aboveOf), above, inside };
}

/** Objects that are read at once, so that their number is known; fewer, if they have long texts. */
const OBJECTS = 500;
const CHARACTERS = 4_000_000;

function entryOf({ fields, ...one }: ObjectChange): Omit<Entry, "path"> {
  const { base, head } = (fields.find(({ field }) => field === "/file") ?? {}) as { base?: FileRef; head?: FileRef };
  const own = base && head ? undefined : base ?? head;
  return { ...one, ...(base && head ? { files: { base, head } } : {}),
    ...(own && one.change !== "modified" ? { file: own } : {}), fields: async () => fields };
}

interface Options {
  /** The places of the trees that give order and names: that of the head, then that of the base. */
  places: readonly string[];
  /** Compares this object alone, with all in it. */
  object?: string | undefined;
  tree?: (place: string) => Promise<TreeNode[]>;
  api?: CompareApi;
}

/** Two commits of a project compared, page by page. */
export class Compared {
  readonly comparison = computed((): Comparison => {
    const root = { id: this.#project, name: text.versions.top };
    const { entries: all, nameOf } = inTreeOrder(this.#found.value, this.#tree, root);
    const object = this.#object;
    const entries = object === undefined ? all : changedInside(all, this.#tree, object);
    return { entries, nameOf, ...(object === undefined ? {} : { object }), isPart: this.#next.value !== null,
      base: { place: this.#project, commit: this.#hashes.base },
      head: { place: this.#project, commit: this.#hashes.head } };
  });

  /** The designs that differ, or in which objects differ. */
  readonly designs = computed(() => designsOf(this.comparison.value, this.#tree));

  readonly #project: string;
  readonly #sides: ComparedSides;
  readonly #object: string | undefined;
  readonly #api: CompareApi;
  readonly #found = signal<readonly Omit<Entry, "path">[]>([]);
  readonly #next = signal<string | null>(null);
  #tree: readonly TreeNode[] = [];
  #hashes = { base: "", head: "" };

  private constructor(project: string, sides: ComparedSides, { object, api = compareApi }: Options) {
    this.#project = project;
    this.#sides = sides;
    this.#object = object;
    this.#api = api;
  }

  static async open(project: string, sides: ComparedSides, options: Options): Promise<Compared> {
    const { places, tree = readTree } = options;
    const made = new Compared(project, sides, options);
    // A tree that can't be read leaves the order of the service.
    const trees = Promise.all([...new Set(places)].map((place) => tree(place).catch((): TreeNode[] => [])));
    // A refusal of the comparison is the caller's.
    const reading = made.#read();
    const nodes = new Map<string, TreeNode>();
    for (const node of (await trees).flat()) if (!nodes.has(node.id)) nodes.set(node.id, node);
    made.#tree = [...nodes.values()];
    await reading;
    return made;
  }

  /** The commit that the base stands for. */
  get baseHash(): string {
    return this.#hashes.base;
  }

  /** Reads more of the objects. */
  async more(): Promise<void> {
    if (this.#next.value) await this.#read();
  }

  async #read(): Promise<void> {
    const found = [...this.#found.value];
    const most = found.length + OBJECTS;
    let [next, characters] = [this.#next.value, 0];
    do {
      const page = await this.#api.compare(this.#project, this.#sides, next);
      found.push(...page.objects.map(entryOf));
      this.#hashes = { base: page.baseHash, head: page.headHash };
      next = page.next;
      characters += JSON.stringify(page.objects).length;
    } while (next && found.length < most && characters < CHARACTERS);
    batch(() => {
      this.#next.value = next;
      this.#found.value = found;
    });
  }
}
