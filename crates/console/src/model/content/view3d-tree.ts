// The objects of a shape as a tree, by their numbers in its file.

/** The objects as the application knows them: the id, the parent's number and the name of each. */
export interface PartTable {
  ids: readonly string[];
  /** -1 for an object whose parent isn't part of the shape. */
  parents: readonly number[];
  names: readonly string[];
}

export class PartTree {
  readonly count: number;
  readonly parents: Int32Array;
  /** All objects, parents before children. */
  readonly order: Int32Array;
  private readonly numbers: ReadonlyMap<string, number>;
  private readonly children: readonly number[][];

  constructor(readonly table: PartTable) {
    this.count = table.ids.length;
    // Of an object that stands in two places, the first is meant.
    this.numbers = new Map(table.ids.map((id, number) => [id, number] as const).reverse());
    const isObject = (number: number) => Number.isInteger(number) && number >= 0 && number < this.count;
    this.parents = Int32Array.from(table.ids, (_, number) => {
      const parent = table.parents[number] ?? -1;
      return isObject(parent) ? parent : -1;
    });
    const children: number[][] = table.ids.map(() => []);
    const order: number[] = [];
    this.parents.forEach((parent, number) => (children[parent] ?? order).push(number));
    // The array grows while it is walked: children follow their parents.
    for (let at = 0; at < order.length; at += 1) {
      for (const child of children[order[at] ?? -1] ?? []) order.push(child);
    }
    this.children = children;
    this.order = Int32Array.from(order);
  }

  /** The number of an object; undefined if the shape doesn't have it. */
  numberOf(id: string | null): number | undefined {
    return id === null ? undefined : this.numbers.get(id);
  }

  idOf(number: number): string | null {
    return this.table.ids[number] ?? null;
  }

  nameOf(number: number): string {
    return this.table.names[number] ?? "";
  }

  /** 1 for each of these objects and everything below them, and a last 0 for what belongs to no object. */
  below(numbers: Iterable<number>): Uint8Array {
    const found = new Uint8Array(this.count + 1);
    for (const number of numbers) if (number < this.count) found[number] = 1;
    for (const number of this.order) if (found[this.parents[number] ?? -1]) found[number] = 1;
    return found;
  }

  /** These objects without one and all below it: of a parent that is among them, the other children stay. */
  without(numbers: ReadonlySet<number>, number: number): Set<number> {
    const inside = this.below([number]);
    const left = new Set([...numbers].filter((one) => !inside[one]));
    const path = [number];
    for (let at = this.parents[number] ?? -1; at >= 0; at = this.parents[at] ?? -1) {
      path.push(at);
      if (!left.delete(at)) continue;
      const isOnPath = new Set(path);
      for (const above of path.slice(1)) {
        for (const child of this.children[above] ?? []) if (!isOnPath.has(child)) left.add(child);
      }
    }
    return left;
  }
}
