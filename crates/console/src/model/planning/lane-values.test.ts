import assert from "node:assert/strict";
import { test } from "node:test";
import { columnsOf } from "./field-columns";
import { valuesAfter, valuesBefore, type LaneStep } from "./lane-values";
import { card, field, option } from "./testing";

const person = (id: string) => ({ id, display_name: id });
const tag = (id: string, name = id) => ({ id, name, color: "#000000" });
const lane = (id: string, isClosed = false) => ({ id, name: id, isClosed });
const step = (kind: LaneStep["kind"], from: string, to: string, others: Partial<LaneStep> = {}): LaneStep =>
  ({ kind, from: lane(from), to: lane(to), ...others });

test("a person, a tag and a priority come in place of those of the lane that a card leaves", () => {
  const both = card("a", { assignees: [person("ada"), person("bob")], tags: [tag("t1", "gear"), tag("t2", "hob")] });
  const people = (from: string, to: string) => {
    const values = valuesAfter(both, step("assignees", from, to));
    return typeof values === "string" ? values : values.assignees?.map(({ id }) => id).join();
  };
  assert.equal(people("ada", "carol"), "bob,carol");
  assert.equal(people("ada", "bob"), "bob");
  assert.equal(people("ada", ""), "");
  const tags = valuesAfter(both, step("tags", "gear", "teeth", { tag: tag("t3", "teeth") }));
  assert.deepEqual(tags, { tags: [tag("t2", "hob"), tag("t3", "teeth")] });
  assert.deepEqual(valuesAfter(both, step("tags", "gear", "")), { tags: [] });
  assert.equal(valuesAfter(both, step("tags", "gear", "teeth")), "Its project has no tag of this name.");
  assert.deepEqual(valuesAfter(both, step("priority", "", "urgent")), { priority: "urgent" });
  assert.deepEqual(valuesAfter(both, step("priority", "urgent", "")), { priority: "none" });
});

test("a parent is a card of the same project, and another one", () => {
  const own = card("a", { parent_id: "p" });
  const parent = (id: string, project = "p") => ({ parent: { id, project_id: project } });
  assert.deepEqual(valuesAfter(own, step("parent", "p", "q", parent("q"))), { parent_id: "q" });
  assert.deepEqual(valuesAfter(own, step("parent", "p", "")), { parent_id: null });
  assert.equal(valuesAfter(own, step("parent", "p", "a", parent("a"))), "A card can't be its own parent.");
  assert.equal(valuesAfter(own, step("parent", "p", "q", parent("q", "other"))),
    "The parent is a card of another project.");
  const several = { kind: "parent", from: lane("p"), to: lane("elsewhere", true) } as const;
  assert.ok(String(valuesAfter(own, several)).includes("different parents"));
});

test("options are those of the card's own project, and of several one is replaced", () => {
  const risk = field("r", { name: "Risk", type: "choice", options: [option("low"), option("high")] });
  const other = field("q", { name: "Risk", type: "choice", project_id: "q", options: [option("high2", "high")] });
  const [column] = columnsOf([risk, other]);
  const at = (id: string, project: string, from: string, to: string, value?: string) =>
    valuesAfter(card(id, { project_id: project,
      fields: { n: "kept", ...(value ? { [project === "q" ? "q" : "r"]: value } : {}) } }),
    step("field-r", from, to, { column }));
  assert.deepEqual(at("a", "p", "low", "high", "low"), { fields: { n: "kept", r: "high" } });
  assert.deepEqual(at("b", "q", "", "high"), { fields: { n: "kept", q: "high2" } });
  assert.equal(at("b", "q", "high", "low", "high2"), "In its project, Risk has no option low.");
  assert.equal(at("c", "x", "", "low"), "Its project has no field Risk.");
  assert.deepEqual(at("a", "p", "low", "", "low"), { fields: { n: "kept" } });

  const parts = field("s", { name: "Sites", type: "choices", options: [option("b"), option("k"), option("z")] });
  const [sites] = columnsOf([parts]);
  const several = (value: string[], from: string, to: string) =>
    valuesAfter(card("a", { fields: { s: value } }), step("field-s", from, to, { column: sites }));
  assert.deepEqual(several(["k", "z"], "k", "b"), { fields: { s: ["b", "z"] } });
  assert.deepEqual(several(["k", "z"], "k", "z"), { fields: { s: ["z"] } });
  assert.deepEqual(several(["k", "z"], "k", ""), { fields: {} });
});

test("a step that is taken back leaves what others have changed since", () => {
  const before = { assignees: [person("ada"), person("bob")], fields: { r: "low", n: "x" } };
  const after = { assignees: [person("bob"), person("carol")], fields: { r: "high", n: "x" } };
  const now = card("a", { assignees: [person("bob"), person("carol"), person("dan")],
    fields: { r: "high", n: "changed" } });
  assert.deepEqual(valuesBefore(now, before, after),
    { assignees: [person("bob"), person("dan"), person("ada")], fields: { n: "changed", r: "low" } });
});
