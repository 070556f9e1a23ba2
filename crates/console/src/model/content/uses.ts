// Where a part, an assembly or a package is used, in projects that the person reads. Search goes page by page.

import { signal } from "@preact/signals";
import { readUses, type UsingProject } from "../../api/content/bom";

/** Pages without a find that are read at once: each searches many projects. */
const PAGES = 5;

export class Uses {
  readonly projects = signal<readonly UsingProject[]>([]);
  /** True while there are projects to search. */
  readonly hasMore = signal(true);
  /** Projects that are too large to search. */
  readonly notSearched = signal(0);
  readonly #place: string;
  readonly #id: string;
  readonly #read: typeof readUses;
  #cursor: string | null = null;

  constructor(place: string, id: string, read = readUses) {
    this.#place = place;
    this.#id = id;
    this.#read = read;
  }

  /** Searches until another project uses it, or for some pages. */
  async more(): Promise<void> {
    for (let page = 0; page < PAGES && this.hasMore.peek(); page += 1) {
      const { projects, notSearched, next } = await this.#read(this.#place, this.#id, this.#cursor);
      this.#cursor = next;
      this.projects.value = [...this.projects.peek(), ...projects];
      this.notSearched.value += notSearched;
      this.hasMore.value = next !== null;
      if (projects.length > 0) return;
    }
  }
}
