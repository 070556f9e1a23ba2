import assert from "node:assert/strict";
import { test } from "node:test";
import { ApiError } from "../../api/errors";
import type { ImportApi, ImportRecord, NewImport } from "../../api/planning/imports";
import { messages } from "../messages";
import { CardImports } from "./card-imports";
import { field, settle } from "./testing";

const record = (id: string, fields: Partial<ImportRecord> = {}): ImportRecord => ({
  id, orgId: "o", projectId: "p", createdBy: "u", tool: "jira", isDryRun: false, state: "finished", failure: null,
  counts: { issues: 3, relations: 2, comments: 2, boards: 0, sprints: 0, created: 3, existing: 0 },
  done: 5, total: 5, noteCount: 0,
  createdAt: "2026-11-28T12:00:00Z", finishedAt: null, ...fields,
});
const running = (id: string, done: number) => record(id, { state: "running", done });

/** Requests that answer from lists, and a clock without time. */
function fake(api: Partial<ImportApi> = {}) {
  const sent: NewImport[] = [];
  const keys: string[] = [];
  const waits: number[] = [];
  const begin: ImportApi["begin"] = async (_, chosen, key) => {
    sent.push(chosen);
    keys.push(key);
    return record(`i${sent.length}`, { isDryRun: chosen.isTrial });
  };
  const all: ImportApi = { begin, list: async () => [], read: async (_, id) => record(id),
    notes: async () => ({ notes: [], next: null }), fields: async () => [], ...api };
  const wait = async (ms: number) => { waits.push(ms); };
  return { imports: new CardImports({ id: "p", ownerId: "o" }, { api: all, wait }), sent, keys, waits };
}

const file = (content: string) => new File([content], "export.csv");
const issues = (promise: Promise<unknown>) => promise.then(() => "none",
  (error: { issues?: { path: string }[] }) => error.issues?.map(({ path }) => path).join());
const refused = (status: number, details: Record<string, unknown> = {}) =>
  new ApiError(status, { code: "INVALID_REQUEST", message: "no", details });

test("a trial comes before an import, and holds for what it tried alone", async () => {
  const { imports, sent, keys } = fake();
  await imports.take(file("Summary,Issue key\n"));
  imports.chooseZone("Europe/Berlin");
  await imports.begin(true);
  assert.ok(imports.isTried.value);
  await imports.begin(false);
  assert.ok(!imports.isTried.value);
  assert.deepEqual(sent.map(({ isTrial, tool, zone, columns, projectId }) => [isTrial, tool, zone, columns, projectId]),
    [[true, "jira", "Europe/Berlin", null, "p"], [false, "jira", "Europe/Berlin", null, "p"]]);
  assert.ok(keys[0] !== keys[1]);
  await imports.begin(true);
  imports.chooseTool("linear");
  assert.ok(!imports.isTried.value, "another tool has had no trial");
  await imports.begin(true);
  imports.named.value = "i1";
  assert.ok(!imports.isTried.value, "another import is shown");
});

test("columns with the names of custom fields fill them", async () => {
  const own = field("v", { name: "Vendor" });
  const { imports, sent } = fake({ fields: async () => [own, field("o", { name: "Old", status: "archived" })] });
  await imports.load();
  imports.chooseTool("csv");
  await imports.take(file("Title,vendor,Old\n"));
  await imports.begin(true);
  assert.deepEqual(sent.map(({ columns, fields }) => [columns, fields]), [[{ Title: "name" }, { vendor: "v" }]]);
});

test("what is changed while the file is sent has had no trial", async () => {
  let answer: (record: ImportRecord) => void = () => {};
  const { imports } = fake({ begin: () => new Promise((resolve) => { answer = resolve; }) });
  await imports.take(file("a\n"));
  const begun = imports.begin(true);
  imports.chooseTool("trello");
  answer(record("late", { isDryRun: true }));
  await begun;
  assert.deepEqual([imports.shown.value?.id, imports.isTried.value], ["late", false]);
});

test("a table is sent with its columns, once one of them has the names", async () => {
  const { imports, sent } = fake();
  assert.equal(await issues(imports.begin(true)), "file");
  await imports.take(file("Nr,What,Torque\n1,Gear,12\n"));
  imports.chooseTool("csv");
  assert.equal(await issues(imports.begin(true)), "columns");
  imports.mean("What", "name");
  await imports.begin(true);
  assert.deepEqual(sent.map(({ columns }) => columns), [{ Nr: "id", What: "name" }]);
  await imports.take(null);
  assert.deepEqual([imports.columns.value.size, await issues(imports.begin(true))], [0, "file"]);
});

test("a file that is too large isn't sent, and a refused time zone is said by the form", async () => {
  const zone = { issues: [{ path: "body.zone", rule: "syntax", message: "can't be read" }] };
  const { imports, sent } = fake();
  await imports.take({ size: 201 * 1024 * 1024, slice: () => new Blob() } as unknown as File);
  assert.equal(await issues(imports.begin(true)), "file");
  assert.equal(sent.length, 0);
  const refusing = fake({ begin: () => Promise.reject(refused(400, zone)) }).imports;
  await refusing.take(file("a"));
  const begun = refusing.begin(true);
  assert.ok(refusing.isSending.value);
  await assert.rejects(begun, /Time zone: can't be read/);
  assert.ok(!refusing.isSending.value);
});

test("a lost answer is asked for by the same key, and a refused file is said at its field", async () => {
  const keys: string[] = [];
  const empty = { issues: [{ path: "body.file", rule: "format", message: "can't be read: the file is empty" }] };
  const answers = [refused(0), refused(400, empty), refused(403)];
  const { imports } = fake({ begin: async (_, __, key) => {
    keys.push(key);
    throw answers.shift();
  } });
  await imports.take(file(""));
  await assert.rejects(imports.begin(true));
  await assert.rejects(imports.begin(true), /file can't be read: the file is empty/);
  assert.equal(keys[0], keys[1]);
  await imports.take(file("other"));
  await assert.rejects(imports.begin(true), /no/);
  assert.ok(keys[1] !== keys[2]);
});

test("a running import is read each second until it ends, also while the service is away", async () => {
  const answers = [running("a", 2), refused(503), running("a", 4), record("a")];
  const read = async () => {
    const next = answers.shift();
    if (next instanceof ApiError) throw next;
    return next as ImportRecord;
  };
  messages.value = [];
  const { imports, waits } = fake({ read, list: async () => [running("a", 0), record("b", { projectId: "other" })] });
  await imports.load();
  const seen: (number | undefined)[] = [];
  imports.shown.subscribe((shown) => seen.push(shown?.done));
  await settle();
  assert.deepEqual([seen, waits, answers.length], [[0, 2, 4, 5], [1000, 1000, 1000, 1000], 0]);
  assert.deepEqual(imports.all.value.map(({ id, state }) => `${id} ${state}`), ["a finished"]);
  assert.equal(messages.value.length, 0);
});

test("following ends with the page, and with a refusal, which is told", async () => {
  let reads = 0;
  const read = async () => {
    reads += 1;
    throw refused(404);
  };
  const list = async () => [running("a", 0)];
  const { imports } = fake({ read, list });
  messages.value = [];
  await imports.load();
  await settle();
  assert.deepEqual([reads, messages.value.length], [1, 1]);
  const left = fake({ read, list }).imports;
  const loaded = left.load();
  left.close();
  await loaded;
  await settle();
  assert.equal(reads, 1);
});

test("the page shows the named import, else one that runs, else the last one", async () => {
  const { imports } = fake({ list: async () => [record("new"), running("old", 1)] });
  const loaded = imports.load();
  imports.close();
  await loaded;
  assert.equal(imports.shown.value?.id, "old");
  imports.named.value = "new";
  assert.equal(imports.shown.value?.id, "new");
  imports.named.value = "of someone else";
  assert.equal(imports.shown.value, undefined);
});
