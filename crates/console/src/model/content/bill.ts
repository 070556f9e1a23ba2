// A bill of materials while it is shown: read by its choices, folded, searched and sorted in the browser.

import { computed, signal } from "@preact/signals";
import { readBom, readBomFile, type BomAnswer, type BomChoice, type BomGrouping, type BomObject, type BomView,
  type TableFormat } from "../../api/content/bom";
import { readTree, type TreeNode } from "../../api/content/objects";
import { columnsOf, valueOf, type BillColumns } from "./bill-columns";
import { fittingRows, hasBelow, nestedRows, openRows, totalsOf, type BillRow } from "./bill-rows";
import { fileNameOf } from "./media";
import { placeOf, projectHref, type OpenedProject } from "./project";
import type { Pictured } from "./shape-kinds";
import { shapesOf } from "./shapes";

/** The column that sorts a parts list: name, quantity, file, or a property. Empty is the order of the tree. */
export type BillSort = "" | "name" | "quantity" | "file" | `property ${string}`;

export const billApi = { bom: readBom, file: readBomFile, tree: readTree };
export type BillApi = typeof billApi;

export class Bill {
  readonly opened: OpenedProject;
  readonly place: string;
  /** The object that is counted; null for the whole project. */
  readonly root: string | null;
  readonly view = signal<BomView>("indented");
  readonly by = signal<BomGrouping>("definition");
  readonly columns = signal<BillColumns>(columnsOf(null));
  readonly answer = signal<BomAnswer | null>(null);
  readonly nodes = signal<readonly TreeNode[]>([]);
  readonly find = signal("");
  readonly sort = signal<BillSort>("");
  readonly isDescending = signal(false);
  /** The row that keys act on. */
  readonly active = signal("");

  readonly #api: BillApi;
  #turn = 0;
  #choices = 0;
  /** Rows that are folded at first: all, those below the first level, or none. */
  readonly #usual = signal<"all" | "below" | "none">("below");
  /** Rows that a person folded or unfolded since. */
  readonly #turned = signal<ReadonlySet<string>>(new Set());

  readonly isFlat = computed(() => this.answer.value?.view === "flat");
  readonly rows = computed(() => nestedRows(this.answer.value?.rows ?? []));
  readonly totals = computed(() => totalsOf(this.rows.value));
  readonly shown = computed(() => this.#shown());
  /** The texts by which rows are found, in lower case. */
  readonly #texts = computed(() => this.rows.value.map((row) => {
    const values = this.columns.value.properties.map((name) => valueOf(row.row, name));
    return [row.row.name, row.row.definition?.id, ...values, ...this.filesOf(row)].join("\n").toLocaleLowerCase();
  }));
  readonly #byId = computed(() => new Map<string, TreeNode>(this.nodes.value.map((node) => [node.id, node])));
  readonly #shapes = computed(() => shapesOf(this.nodes.value));

  constructor(opened: OpenedProject, root: string | null, api: BillApi = billApi) {
    this.opened = opened;
    this.place = placeOf(opened.project, opened.branch);
    this.root = root;
    this.#api = api;
  }

  get choice(): BomChoice {
    return { root: this.root, view: this.view.peek(), by: this.by.peek(), properties: this.columns.peek().properties };
  }

  /** Reads the bill, and the tree that knows the files. An answer to older choices is dropped. */
  async load(): Promise<void> {
    const own = (this.#turn += 1);
    const [answer, nodes] = await Promise.all([this.#api.bom(this.place, this.choice), this.#api.tree(this.place)]);
    this.nodes.value = nodes;
    if (own === this.#turn) this.answer.value = answer;
  }

  /** Reads the bill by other choices. They are taken back if they are refused. */
  async choose(change: { view?: BomView; by?: BomGrouping; columns?: BillColumns }): Promise<void> {
    const before = { view: this.view.value, by: this.by.value, columns: this.columns.value };
    this.#take({ ...before, ...change });
    const [own, choice] = [this.#turn += 1, this.#choices += 1];
    try {
      const answer = await this.#api.bom(this.place, this.choice);
      if (own === this.#turn) this.answer.value = answer;
    } catch (error) {
      if (choice === this.#choices) this.#take(before);
      throw error;
    }
  }

  #take({ view, by, columns }: { view: BomView; by: BomGrouping; columns: BillColumns }): void {
    [this.view.value, this.by.value, this.columns.value] = [view, by, columns];
  }

  /** The bill as it is shown, as a file for a spreadsheet. */
  file(format: TableFormat): Promise<Blob> {
    return this.#api.file(this.place, this.choice, format);
  }

  /** False for a folded row and one without others below it. What is found is never folded. */
  isUnfolded(row: BillRow): boolean {
    const usual = this.#usual.value === "none" || (this.#usual.value === "below" && row.row.level === 0);
    return hasBelow(row) && usual !== this.#turned.value.has(row.key);
  }

  fold(row: BillRow, isUnfolded: boolean): void {
    if (!hasBelow(row) || this.isUnfolded(row) === isUnfolded) return;
    const now = new Set(this.#turned.value);
    if (!now.delete(row.key)) now.add(row.key);
    this.#turned.value = now;
  }

  foldAll(isUnfolded: boolean): void {
    this.#usual.value = isUnfolded ? "none" : "all";
    this.#turned.value = new Set();
  }

  /** Goes to a row by its index among those that are shown. */
  go(index: number): void {
    const shown = this.shown.peek();
    this.active.value = shown[Math.max(0, Math.min(shown.length - 1, index))]?.key ?? "";
  }

  step(by: number): void {
    const at = this.shown.peek().findIndex(({ key }) => key === this.active.peek());
    this.go(at < 0 ? 0 : at + by);
  }

  /** Sorts by a column; by the same one the other way round, and then as the tree is. */
  sortBy(by: BillSort): void {
    const isSame = this.sort.peek() === by;
    if (isSame && this.isDescending.peek()) this.sort.value = "";
    else this.sort.value = by;
    this.isDescending.value = isSame && !this.isDescending.peek();
  }

  nodeOf(id: string | null): TreeNode | undefined {
    return this.#byId.value.get(id ?? "");
  }

  hrefOf({ id, projectId }: BomObject): string {
    const { project, branch } = this.opened;
    return projectId ? `/projects/${projectId}?object=${id}` : projectHref(project, "", branch, { object: id });
  }

  /** The picture of a row's first object. Files of included packages are unknown; their parts tell their own shapes. */
  picturedOf({ row: { objects: [first], definition } }: BillRow): Pictured | undefined {
    if (!first) return undefined;
    const shape = this.#shapes.value.get(first.id);
    if (shape && !first.projectId) return { place: this.place, id: first.id, sha256: shape.sha256 };
    const geometry = definition?.geometry;
    return first.projectId && geometry ? { place: first.projectId, id: first.id, geometry } : undefined;
  }

  /** The names of the files that a row's objects are in; of those of a package, the name of that. */
  filesOf({ row: { objects } }: BillRow): string[] {
    const packages = this.answer.value?.packages ?? [];
    const names = objects.map(({ id, projectId, commitHash }) => {
      const own = this.nodeOf(this.#shapes.value.get(id)?.owner ?? id);
      return projectId ? packages.find(({ include }) =>
        include.projectId === projectId && include.commitHash === commitHash)?.name
        : own?.file && fileNameOf({ name: own.name, file: own.file });
    });
    return [...new Set(names.filter((name) => name !== undefined))];
  }

  #shown(): BillRow[] {
    const [rows, wanted] = [this.rows.value, this.find.value.trim().toLocaleLowerCase()];
    const shown = wanted ? fittingRows(rows, ({ at }) => this.#texts.value[at]?.includes(wanted) ?? false)
      : openRows(rows, (row) => this.isUnfolded(row));
    return this.isFlat.value && this.sort.value ? this.#sorted(shown) : shown;
  }

  /** Rows without a value come last, either way. */
  #sorted(rows: readonly BillRow[]): BillRow[] {
    const sort = this.sort.value;
    const keyOf = (row: BillRow): string | number => (sort === "name" ? row.row.name
      : sort === "quantity" ? row.row.totalQuantity
        : sort === "file" ? this.filesOf(row).join() : valueOf(row.row, sort.replace(/^property /, "")));
    const collator = new Intl.Collator(undefined, { numeric: true });
    const way = this.isDescending.value ? -1 : 1;
    const keyed = rows.map((row) => ({ row, key: keyOf(row) }));
    keyed.sort(({ key: one }, { key: other }) => Number(one === "") - Number(other === "")
      || way * (typeof one === "number" ? one - Number(other) : collator.compare(one, String(other))));
    return keyed.map(({ row }) => row);
  }
}
