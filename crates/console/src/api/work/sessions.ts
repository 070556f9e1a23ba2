// Requests on sessions: their conversation, questions, cost, and executions of code.

import { all, answer, api, idempotent } from "../client";
import type { components } from "../generated/control";

type Schemas = components["schemas"];
export type Session = Schemas["SessionView"];
export type SessionEvent = Schemas["SessionEvent"];
export type Message = Schemas["Message"];
export type MessagePart = Schemas["MessagePart"];
export type Approval = Schemas["Approval"];
export type ToolEffect = Schemas["ToolEffect"];
export type Decision = Schemas["ApprovalDecision"];
export type Model = Schemas["Model"];
export type NewSession = Schemas["CreateSessionRequest"];
type UsageReport = Schemas["UsageReport"];
export type Effect = Schemas["ApprovableEffect"];

export interface SessionPath {
  projectId: string;
  sessionId: string;
}

const SESSIONS = "/api/v2/projects/{projectId}/sessions";
const SESSION = `${SESSIONS}/{sessionId}` as const;

/** The address of a session's events. */
export const sessionEvents = ({ projectId, sessionId }: SessionPath) =>
  `/api/v2/projects/${projectId}/sessions/${sessionId}/events`;

/** The models that agents can use here; none where no agent is set up. */
export async function readModels(): Promise<readonly Model[]> {
  return (await answer(api.GET("/api/v2/models"))).models;
}

export function readSessions(projectId: string): Promise<Session[]> {
  return all(
    (query) => answer(api.GET(SESSIONS, { params: { path: { projectId }, query } })),
    ({ sessions }) => sessions,
  );
}

export async function readSession(path: SessionPath): Promise<Session> {
  return (await answer(api.GET(SESSION, { params: { path: { ...path } } }))).session;
}

/** Opens a session on a place: a project, with its branch where that isn't the default one. Returns its id. */
export async function createSession(place: string, body: NewSession, once: string): Promise<string> {
  const params = { path: { projectId: place } };
  return (await answer(api.POST(SESSIONS, { params, headers: idempotent(once), body }))).sessionId;
}

export async function closeSession(path: SessionPath): Promise<void> {
  await answer(api.DELETE(SESSION, { params: { path: { ...path } } }));
}

export function readMessages(path: SessionPath): Promise<Message[]> {
  return all(
    (query) => answer(api.GET(`${SESSION}/messages`, { params: { path: { ...path }, query } })),
    ({ messages }) => messages,
  );
}

/** The first task of a session; empty without one. */
export async function readTask(path: SessionPath): Promise<string> {
  const params = { path: { ...path }, query: { limit: 1 } };
  const { messages } = await answer(api.GET(`${SESSION}/messages`, { params }));
  return textOf(messages[0]);
}

/** The first text of a message. */
export function textOf(message: Message | undefined): string {
  return message?.parts.find((part) => part.type === "text")?.text ?? "";
}

export async function sendPrompt(path: SessionPath, prompt: string, once: string): Promise<void> {
  const params = { path: { ...path } };
  await answer(api.POST(`${SESSION}/prompt`, { params, headers: idempotent(once), body: { prompt } }));
}

export async function stopRun(path: SessionPath): Promise<void> {
  await answer(api.POST(`${SESSION}/stop`, { params: { path: { ...path } } }));
}

/** The questions that wait for an answer. */
export async function readQuestions(path: SessionPath): Promise<readonly Approval[]> {
  const params = { path: { ...path }, query: { status: "pending" as const } };
  return (await answer(api.GET(`${SESSION}/approvals`, { params }))).approvals;
}

export async function decideQuestion(path: SessionPath, approvalId: string, decision: Decision): Promise<void> {
  const params = { path: { ...path, approvalId } };
  await answer(api.POST(`${SESSION}/approvals/{approvalId}`, { params, body: { decision } }));
}

/** The credits that a session has cost. */
export async function readCost(path: SessionPath): Promise<number> {
  // Without a format the answer is JSON.
  const usage = await answer(api.GET(`${SESSION}/usage`, { params: { path: { ...path } } })) as UsageReport;
  return usage.totals.credits;
}

/** Credits by session; empty for readers who may not see them. */
export async function readCosts(projectId: string): Promise<ReadonlyMap<string, number>> {
  const params = { path: { projectId }, query: { groupBy: "session" as const } };
  const usage = await answer(api.GET("/api/v2/projects/{projectId}/usage", { params })).catch(() => null);
  const groups = (usage as UsageReport | null)?.groups ?? [];
  return new Map(groups.flatMap(({ sessionId, credits }) => (sessionId ? [[sessionId, credits]] : [])));
}

/** Names of the servers of tools that a project has; none for those who may not list them. */
export async function readToolServers(projectId: string): Promise<string[]> {
  const servers = await all(
    (query) => answer(api.GET("/api/v2/projects/{projectId}/mcp-servers", { params: { path: { projectId }, query } })),
    ({ mcpServers }) => mcpServers,
  ).catch(() => []);
  return servers.map(({ name }) => name);
}

/** All requests of the model of a session, which tests replace. */
export const sessionApi = {
  messages: readMessages,
  questions: readQuestions,
  prompt: sendPrompt,
  stop: stopRun,
  decide: decideQuestion,
  cost: readCost,
  close: closeSession,
};
export type SessionApi = typeof sessionApi;
