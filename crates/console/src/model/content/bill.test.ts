import assert from "node:assert/strict";
import { test } from "node:test";
import type { BomAnswer, BomChoice, BomRow } from "../../api/content/bom";
import type { TreeNode } from "../../api/content/objects";
import { Bill, type BillApi } from "./bill";
import type { OpenedProject } from "./project";

const OPENED = { project: { id: "p", name: "Pump", defaultBranch: "main" }, branch: "main" } as OpenedProject;
const FILE = { sha256: "f", size: 1, mimeType: "model/step", extension: ".step", name: "pump.step" };
const TREE = [{ id: "pump", parent: "p", name: "pump", type: "Assembly", childrenCount: 1, file: FILE },
  { id: "bolt", parent: "pump", name: "bolt_1", type: "Part", childrenCount: 0 }] as TreeNode[];

const row = (level: number, id: string, more: Partial<BomRow> = {}): BomRow => ({ level, name: id, type: "Part",
  quantity: 1, totalQuantity: 1, objectCount: 1, objects: [{ id }], ...more });
const ROWS = [row(0, "pump"), row(1, "pair"), row(2, "bolt", { properties: { material: ["steel"] } }), row(1, "cover")];

function fake(rows: BomRow[] = ROWS, refuses: (choice: BomChoice) => boolean = () => false) {
  const asked: BomChoice[] = [];
  const api: BillApi = {
    bom: async (_, choice) => {
      asked.push(choice);
      if (refuses(choice)) throw new Error("no such property");
      return { rows, view: choice.view, by: choice.by, packages: [], warnings: [] } as unknown as BomAnswer;
    },
    file: async () => new Blob(),
    tree: async () => TREE,
  };
  return { bill: new Bill(OPENED, null, api), asked };
}

const shown = (bill: Bill) => bill.shown.value.map((one) => one.row.name).join(" ");

test("a bill opens with its first level unfolded, and keeps what was folded when it is read again", async () => {
  const { bill } = fake();
  await bill.load();
  assert.equal(shown(bill), "pump pair cover");
  const [pump, pair] = bill.shown.value;
  assert.ok(pump && pair);
  bill.fold(pair, true);
  assert.equal(shown(bill), "pump pair bolt cover");
  await bill.load();
  assert.equal(shown(bill), "pump pair bolt cover");
  bill.foldAll(false);
  assert.equal(shown(bill), "pump");
  bill.foldAll(true);
  bill.fold(pump, false);
  assert.equal(shown(bill), "pump");
});

test("a row is found by its values and its file, folded or not", async () => {
  const { bill } = fake();
  await bill.load();
  bill.find.value = "STEEL";
  assert.equal(shown(bill), "pump pair bolt");
  bill.find.value = "pump.step";
  assert.equal(shown(bill), "pump pair bolt");
  bill.find.value = "brass";
  assert.equal(shown(bill), "");
});

test("a parts list is sorted, without a value last, and then again as the tree is", async () => {
  const { bill } = fake([row(0, "a", { totalQuantity: 2 }), row(0, "b", { totalQuantity: 10,
    properties: { material: ["steel"] } }), row(0, "c", { properties: { material: ["brass"] } })]);
  await bill.load();
  bill.sortBy("quantity");
  assert.equal(shown(bill), "a b c");
  await bill.choose({ view: "flat" });
  assert.equal(shown(bill), "c a b");
  bill.sortBy("quantity");
  assert.equal(shown(bill), "b a c");
  bill.sortBy("property material");
  assert.equal(shown(bill), "c b a");
  bill.sortBy("property material");
  assert.equal(shown(bill), "b c a");
  bill.sortBy("property material");
  assert.equal(shown(bill), "a b c");
});

test("refused columns are taken back", async () => {
  const { bill, asked } = fake(ROWS, ({ properties }) => properties.includes("/nowhere"));
  await bill.load();
  const before = bill.columns.value;
  await assert.rejects(bill.choose({ columns: { ...before, properties: ["/nowhere"] } }));
  assert.equal(bill.columns.value, before);
  assert.deepEqual(asked.at(-1)?.properties, ["/nowhere"]);
});

test("rows lead to objects with their pictures: of this project by the file, of a package by the shape", async () => {
  const other = row(0, "wheel", { objects: [{ id: "wheel", projectId: "q", commitHash: "c" }],
    definition: { geometry: "g" } });
  const { bill } = fake([...ROWS, other]);
  await bill.load();
  const [bolt, wheel] = [bill.rows.value[2], bill.rows.value[4]];
  assert.ok(bolt && wheel);
  assert.deepEqual(bill.picturedOf(bolt), { place: "p", id: "bolt", sha256: "f" });
  assert.deepEqual(bill.filesOf(bolt), ["pump.step"]);
  assert.deepEqual(bill.picturedOf(wheel), { place: "q", id: "wheel", geometry: "g" });
  assert.equal(bill.hrefOf({ id: "bolt" }), "/projects/p?object=bolt");
  assert.equal(bill.hrefOf({ id: "wheel", projectId: "q" }), "/projects/q?object=wheel");
});
