import assert from "node:assert/strict";
import { test } from "node:test";
import { networkError } from "../../api/errors";
import type { CodeObject, Execution, ExecutionApi } from "../../api/work/executions";
import type { SessionEvent } from "../../api/work/sessions";
import { Executions } from "./executions";

const AT = "2026-01-01T12:00:00Z";
const object = (id: string, language: string, source = ""): CodeObject =>
  ({ id, name: id, type: "Code", parent: "root", data: { language, text: source } });
const execution = (executionId: string, fields: Partial<Execution> = {}): Execution =>
  ({ executionId, objectId: "gear", state: "queued", createdAt: AT, createdBy: "ada", startedAt: null, endedAt: null,
    failure: null, language: "javascript", output: null, sessionId: "s", truncated: false, ...fields });
const changed = (executionId: string, state: string): SessionEvent =>
  ({ type: "execution.changed", id: "1", sequence: 1, occurredAt: AT, data: { executionId, state } }) as SessionEvent;
const output = (executionId: string, text: string): SessionEvent => ({ type: "execution.output", id: "1", sequence: 1,
  occurredAt: AT, data: { executionId, text, truncated: false } }) as SessionEvent;

function open(objects: CodeObject[] = []) {
  const drafts = new Map<string, string>();
  const asked: string[] = [];
  const api: ExecutionApi = {
    read: async (_, id) => execution(id, { state: "completed", endedAt: AT, output: "all of it" }),
    execute: async (_, id, _input, once) => {
      asked.push(`run ${id} ${once}`);
      return execution("e");
    },
    stop: async (_, id) => execution(id, { state: "stopped", endedAt: AT, output: "cut" }),
    object: async (_, id) => object(id, "JavaScript"),
    create: async (_, name, language, source, once) => {
      asked.push(`create ${name} ${language} ${once}`);
      return object("made", language, source);
    },
    change: async (_, id, source) => void asked.push(`change ${id} ${source}`),
  };
  const draft = (id: string) => ({ read: () => drafts.get(id) ?? null, end: () => void drafts.delete(id),
    keep: (typed: string) => void drafts.set(id, typed) });
  const path = { projectId: "p", sessionId: "s" };
  return { page: new Executions({ path, place: "p", draft, objects, executions: [] }, api), api, asked, drafts };
}

const settle = () => new Promise<void>((resolve) => { setTimeout(resolve); });

test("only code in a language that can run is offered", () => {
  const { page } = open([object("gear", "JavaScript"), object("model", "OpenSCAD"), object("plot", "python")]);
  assert.deepEqual(page.objects.value.map(({ id }) => id), ["gear", "plot"]);
});

test("new code is created once, then edited as its object", async () => {
  const { page, asked, drafts } = open();
  page.type("console.log(1)");
  page.speak("python");
  assert.equal(page.name.value, "script.py");
  await page.run();
  assert.deepEqual([page.object.value, page.source.value, drafts.size], ["made", "console.log(1)", 0]);
  await page.run();
  assert.deepEqual(asked.map((one) => one.split(" ")[0]), ["create", "run", "run"]);
});

test("changed code is saved before it runs, unchanged code isn't", async () => {
  const { page, asked } = open([object("gear", "JavaScript", "old")]);
  page.edit("gear");
  page.type("new");
  await page.run();
  await page.run();
  assert.deepEqual(asked.map((one) => one.split(" ").slice(0, 3).join(" ")).map((one) => one.split(" ")[0]),
    ["change", "run", "run"]);
});

test("a try whose answer was lost is repeated as the same one, and the draft stays", async () => {
  const { page, api, asked, drafts } = open();
  page.type("console.log(1)");
  const create = api.create;
  api.create = async (...options) => {
    await create(...options);
    throw networkError();
  };
  await assert.rejects(page.run());
  assert.equal(drafts.get(""), "console.log(1)");
  api.create = create;
  await page.run();
  assert.equal(asked[0], asked[1]);
});

test("an input that is no object runs nothing", async () => {
  const { page, asked } = open([object("gear", "JavaScript")]);
  page.input.value = "[1]";
  await assert.rejects(page.run(), /JSON object/);
  assert.deepEqual(asked, []);
});

test("output grows by events, and is read whole at the end", async () => {
  const { page } = open([object("gear", "JavaScript")]);
  page.edit("gear");
  await page.run();
  page.heard(changed("e", "running"));
  page.heard(output("e", "some "));
  page.heard(output("e", "more"));
  assert.deepEqual([page.current.value?.state, page.output.value], ["running", "some more"]);
  page.heard(changed("e", "completed"));
  await settle();
  assert.equal(page.output.value, "all of it");
  page.heard(output("e", " twice"));
  assert.equal(page.output.value, "all of it");
});

test("an unchanged editor keeps no draft", () => {
  const { page, drafts } = open([object("gear", "JavaScript", "old")]);
  page.edit("gear");
  page.type("new");
  assert.equal(drafts.get("gear"), "new");
  page.type("old");
  assert.equal(drafts.size, 0);
});
