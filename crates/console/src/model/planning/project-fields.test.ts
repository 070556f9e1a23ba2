import assert from "node:assert/strict";
import { test } from "node:test";
import type { FieldApi, FieldChanges } from "../../api/planning/custom-fields";
import { ApiError } from "../../api/errors";
import { messages } from "../messages";
import { undo } from "../undo";
import { changesOfField, inverseOf, newField, optionRefusal, typedField } from "./field-form";
import { OptionDrafts } from "./option-drafts";
import { ProjectFields } from "./project-fields";
import { field, option } from "./testing";

const weight = field("w", { name: "Weight", type: "number", unit: "kg", minimum: 0 });
const finish = field("f", { name: "Finish", type: "choice", options: [option("a", "oiled"), option("b", "raw")],
  default_value: "b" });

async function opened(others: Partial<FieldApi> = {}) {
  const asked: FieldChanges[] = [];
  const fields = new ProjectFields("p", { list: async () => [weight, finish],
    create: async (_project, { name, type }) => field("new", { name, type }),
    change: async (_project, id, changes) => {
      asked.push(changes);
      return { ...(id === "w" ? weight : finish), ...changes as object };
    },
    remove: async () => {}, ...others });
  await fields.load();
  return { fields, asked };
}
const names = (fields: ProjectFields) => fields.all.value.map(({ name, status }) => `${name} ${status}`).join();

test("a new field has the properties of its type alone", () => {
  const typed = { ...typedField(), name: " Weight ", unit: "kg", minimum: "0", default: "2.5" };
  const options = new OptionDrafts();
  options.change("new-1", { name: " oiled " });
  options.change(options.add(), { name: "raw" });
  options.add();
  assert.deepEqual(newField("number", typed, options), { name: "Weight", type: "number", description: "", unit: "kg",
    minimum: 0, defaultValue: 2.5, isRequired: false, isShown: false, appliesTo: "cards" });
  assert.deepEqual(newField("choice", { ...typed, default: "new-2" }, options), { name: "Weight", type: "choice",
    description: "", defaultValue: "raw", isRequired: false, isShown: false, appliesTo: "cards",
    options: ["oiled", "raw"] });
  assert.deepEqual(newField("user", typed, options), { name: "Weight", type: "user", description: "",
    isRequired: false, isShown: false, appliesTo: "cards" });
});

test("a changed field sends what differs alone, and clears what is emptied", () => {
  const options = () => new OptionDrafts(finish.options);
  assert.equal(changesOfField(finish, typedField(finish), options()), null);
  assert.deepEqual(changesOfField(weight, { ...typedField(weight), unit: "g", minimum: "" }, new OptionDrafts()),
    { unit: "g", minimum: null });
  const moved = options();
  moved.move("b", 0);
  moved.change("b", { name: "bare" });
  assert.deepEqual(changesOfField(finish, typedField(finish), moved), { options: [
    { id: "b", name: "bare", isArchived: false }, { id: "a", name: "oiled", isArchived: false }] });
  const fewer = options();
  fewer.remove("b");
  assert.deepEqual(changesOfField(finish, typedField(finish), fewer),
    { defaultValue: null, options: [{ id: "a", name: "oiled", isArchived: false }] });
});

test("a field of objects has a type of them, and no place on boards", () => {
  const typed = { ...typedField(weight), appliesTo: "objects" as const, objectType: " Part ", isShown: true };
  const { appliesTo, objectType, isShown } = newField("number", typed, new OptionDrafts());
  assert.deepEqual({ appliesTo, objectType, isShown }, { appliesTo: "objects", objectType: "Part", isShown: false });
  const all = newField("number", { ...typed, objectType: "" }, new OptionDrafts());
  assert.ok(!("objectType" in all));
});

test("a field is shown on boards by choice", () => {
  const typed = { ...typedField(weight), isShown: true };
  assert.deepEqual(changesOfField(weight, typed, new OptionDrafts()), { isShown: true });
  assert.deepEqual(inverseOf({ ...weight, is_shown: true }, { isShown: false }), { isShown: true });
});

test("a change is undone by its inverse, but for options", () => {
  assert.deepEqual(inverseOf(weight, { name: "Mass", maximum: 7 }), { name: "Weight", maximum: null });
  assert.equal(inverseOf(finish, { name: "Surface", options: [] }), null);
});

test("a row is added below another one, and a refused option is named", () => {
  const options = new OptionDrafts(finish.options);
  options.change(options.add("a"), { name: "raw" });
  assert.deepEqual(options.named.map(({ name }) => name), ["oiled", "raw", "raw"]);
  const error = new ApiError(400, { code: "INVALID_REQUEST", message: "No.",
    details: { issues: [{ path: "body.options[2]", rule: "duplicate", message: "is a duplicate" }] } });
  assert.equal((optionRefusal(error, options) as Error).message, "The option “raw” is a duplicate");
});

test("a field is archived at once, stands last, and comes back by undo", async () => {
  const { fields, asked } = await opened();
  const sent = fields.setStatus(weight, "archived");
  assert.equal(names(fields), "Finish active,Weight archived");
  await sent;
  await undo();
  assert.equal(names(fields), "Weight active,Finish active");
  assert.deepEqual(asked, [{ status: "archived" }, { status: "active" }]);
});

test("a refused archiving shows the field as it was", async () => {
  const { fields } = await opened({ change: async () => { throw new Error("No rights."); } });
  await fields.setStatus(weight, "archived");
  assert.equal(names(fields), "Weight active,Finish active");
});

test("a field that cards have values of stays, and can be archived instead", async () => {
  const { fields, asked } = await opened({ remove: async () => {
    throw new ApiError(409, { code: "FIELD_IN_USE", message: "Used." });
  } });
  await fields.remove(finish);
  assert.equal(names(fields), "Weight active,Finish active");
  await messages.value.find(({ message }) => message.includes("Finish"))?.act?.run();
  assert.deepEqual(asked, [{ status: "archived" }]);
});
