import assert from "node:assert/strict";
import { test } from "node:test";
import { ApiError } from "../../api/errors";
import type { Approval, Message, MessagePart, Session, SessionApi, SessionEvent } from "../../api/work/sessions";
import { OpenedSession } from "./session";

const T0 = Date.parse("2026-01-01T12:00:00Z");
const at = (seconds: number) => new Date(T0 + seconds * 1000).toISOString();

const message = (id: string, role: Message["role"], seconds: number, parts: MessagePart[]): Message =>
  ({ id, role, createdAt: at(seconds), parts, promptedBy: role === "user" ? "ada" : null, sequence: 1, taskId: "run" });
const said = (text: string): MessagePart => ({ type: "text", text });
const call = (callId: string, params: Record<string, unknown> = {}): MessagePart =>
  ({ type: "tool_call", callId, name: "project__create_object", params });
const result = (callId: string, text: string, isError = false): MessagePart =>
  ({ type: "tool_result", callId, name: "", text, isError });
const event = (type: SessionEvent["type"], seconds: number, data: object) =>
  ({ type, id: `${type} ${seconds}`, occurredAt: at(seconds), sequence: 1, data }) as unknown as SessionEvent;

function open(messages: Message[] = [], fields: Partial<Session> = {}) {
  const place = { projectId: "p", sessionId: "s", closedAt: null };
  const session = { ...place, status: "running", budget: { credits: 5 }, ...fields };
  const decided: string[] = [];
  const api: SessionApi = {
    messages: async () => messages,
    questions: async () => [{ approvalId: "a", callId: "c" } as Approval],
    prompt: async () => {},
    stop: async () => {},
    decide: async (_, id, decision) => void decided.push(`${id} ${decision}`),
    cost: async () => 1,
    close: async () => {},
  };
  return { opened: new OpenedSession(session as unknown as Session, messages, api, T0), api, decided };
}

const settle = () => new Promise<void>((resolve) => { setTimeout(resolve); });
const keys = (opened: OpenedSession) => opened.talk.entries.value.map(({ key }) => key);

test("messages are known once, in the order of their times, and the first task is the title", () => {
  const first = message("1", "user", 1, [said("Make a shaft.\nOf steel.")]);
  const { opened } = open([first, message("3", "assistant", 3, [said("Done.")])]);
  opened.heard(event("message.created", 1, first));
  opened.heard(event("message.created", 2, message("2", "assistant", 2, [said("I begin.")])));
  assert.deepEqual(keys(opened), ["1", "2", "3"]);
  assert.equal(opened.title.value, "Make a shaft.");
  opened.cost.close();
});

test("words grow until their message is there, and older ones of the stream are dropped", () => {
  const { opened } = open([message("1", "user", 1, [said("Go")])]);
  opened.heard(event("message.delta", 0, { taskId: "run", text: "old" }));
  assert.equal(opened.talk.writing.value, null);
  opened.heard(event("message.delta", 2, { taskId: "run", text: "I " }));
  opened.heard(event("message.delta", 2, { taskId: "run", text: "go." }));
  assert.equal(opened.talk.writing.value, "I go.");
  opened.heard(event("message.created", 3, message("2", "assistant", 3, [said("I go.")])));
  assert.equal(opened.talk.writing.value, null);
  opened.cost.close();
});

test("a pending message is settled by the same words of the service", () => {
  const { opened } = open();
  opened.talk.expect("Go");
  assert.equal(opened.talk.isEmpty.value, false);
  opened.heard(event("message.created", 1, message("1", "user", 1, [said("Go")])));
  assert.equal(opened.talk.pending.value, null);
  opened.cost.close();
});

test("a call tells its subject, its time and what it made", () => {
  const { opened } = open([message("1", "assistant", 1, [call("c")])]);
  opened.heard(event("tool.started", 2, { callId: "c" }));
  opened.heard(event("tool.finished", 4, { callId: "c", isError: false }));
  const answer = JSON.stringify({ card: { id: "x", name: "Turn it" },
    indexCard: { team_placements: [{ team_id: "t" }] } });
  opened.heard(event("message.created", 5, message("2", "tool", 5, [result("c", answer)])));
  const now = opened.talk.call("c")?.value;
  assert.deepEqual([now?.state, now?.seconds, now?.subject], ["done", 2, "Turn it"]);
  assert.deepEqual(now?.made, { kind: "card", id: "x", name: "Turn it", team: "t" });
  opened.cost.close();
});

test("calls without an answer have failed when the run ends", () => {
  const { opened } = open([message("1", "assistant", 1, [call("c", { name: "Shaft" })])]);
  opened.heard(event("run.status", 2, { status: "failed", taskId: "run", failure: { message: "No oil." } }));
  assert.equal(opened.talk.call("c")?.value.state, "failed");
  const note = opened.talk.entries.value.at(-1);
  assert.ok(note?.kind === "note" && note.text.includes("No oil."));
  opened.cost.close();
});

test("a pause for a question is no stop; its answer is sent, and takes the question away", async () => {
  const { opened, decided } = open([message("1", "assistant", 1, [call("c")])]);
  opened.heard(event("approval.requested", 2, { taskId: "run", callId: "c" }));
  opened.heard(event("run.status", 3, { status: "paused", taskId: "run" }));
  await settle();
  assert.deepEqual(keys(opened), ["1"]);
  assert.equal(opened.talk.call("c")?.value.state, "waiting");
  await opened.decide("deny");
  assert.deepEqual(decided, ["a deny"]);
  assert.equal(opened.question.value, null);
});

test("a pause of the model's server is shown until the run goes on, and an old one isn't", () => {
  const { opened } = open();
  opened.heard(event("run.waiting", -60, { taskId: "run", pauseSecs: 40, reason: "status 429" }));
  assert.deepEqual([opened.pause.value, opened.state.value], [null, "running"]);
  opened.heard(event("run.waiting", 1, { taskId: "run", pauseSecs: 40, reason: "status 429" }));
  assert.deepEqual(opened.pause.value, { until: T0 + 41_000, reason: "status 429" });
  assert.equal(opened.state.value, "waiting");
  opened.heard(event("message.delta", 42, { taskId: "run", text: "I go." }));
  assert.deepEqual([opened.pause.value, opened.state.value], [null, "running"]);
});

test("a stop is noted once, though the stream tells it again", () => {
  const { opened } = open();
  const stop = event("run.status", 3, { status: "paused", taskId: "run" });
  opened.heard(stop);
  opened.heard(stop);
  assert.equal(opened.talk.entries.value.length, 1);
  opened.cost.close();
});

test("a refused prompt that names the budget ends the session's prompts", () => {
  const { opened } = open();
  opened.talk.expect("Go");
  opened.refused(new ApiError(400, { code: "CREDITS_EXHAUSTED", message: "", details: { budget: 7 } }));
  assert.deepEqual([opened.talk.pending.value, opened.isExhausted.value, opened.cost.budget.value], [null, true, 7]);
});

test("who may not see costs sees the budget alone, and isn't asked for again", async () => {
  const { opened, api } = open();
  let asked = 0;
  api.cost = async () => {
    asked += 1;
    throw new ApiError(403, undefined);
  };
  await opened.cost.read();
  await opened.cost.read();
  assert.deepEqual([asked, opened.cost.spent.value, opened.cost.budget.value], [1, null, 5]);
});
