// Requests on executions of code, and on the Code objects that they run.

import { all, answer, api, idempotent } from "../client";
import type { components } from "../generated/control";
import type { SessionPath } from "./sessions";

type Schemas = components["schemas"];
export type Execution = Schemas["Execution"];
export type CodeObject = Schemas["Object"];

const EXECUTIONS = "/api/v2/projects/{projectId}/sessions/{sessionId}/executions";
const OBJECTS = "/api/v2/projects/{projectId}/objects";

export function readExecutions(path: SessionPath): Promise<Execution[]> {
  return all(
    (query) => answer(api.GET(EXECUTIONS, { params: { path: { ...path }, query } })),
    ({ executions }) => executions,
  );
}

/** An execution with its whole output. */
export async function readExecution(path: SessionPath, executionId: string): Promise<Execution> {
  const params = { path: { ...path, executionId } };
  return (await answer(api.GET(`${EXECUTIONS}/{executionId}`, { params }))).execution;
}

export async function execute(path: SessionPath, objectId: string, input: object, once: string): Promise<Execution> {
  const body = { objectId, input: input as Record<string, unknown> };
  return (await answer(api.POST(EXECUTIONS, { params: { path: { ...path } }, headers: idempotent(once), body })))
    .execution;
}

export async function stopExecution(path: SessionPath, executionId: string): Promise<Execution> {
  const params = { path: { ...path, executionId } };
  return (await answer(api.POST(`${EXECUTIONS}/{executionId}/stop`, { params }))).execution;
}

/** The Code objects of a place: a project, with its branch where that isn't the default one. */
export function readCodeObjects(place: string): Promise<CodeObject[]> {
  const path = { projectId: place };
  return all(
    (query) => answer(api.GET(OBJECTS, { params: { path, query: { ...query, type: "Code" } } })),
    ({ objects }) => objects,
  );
}

export async function readCodeObject(place: string, objectId: string): Promise<CodeObject> {
  const params = { path: { projectId: place, objectId } };
  return (await answer(api.GET(`${OBJECTS}/{objectId}`, { params }))).object;
}

export async function createCode(place: string, name: string, language: string, source: string, once: string) {
  const body = { name, type: "Code", data: { language, text: source } };
  const params = { path: { projectId: place } };
  return (await answer(api.POST(OBJECTS, { params, headers: idempotent(once), body }))).object;
}

export async function changeCode(place: string, objectId: string, source: string): Promise<void> {
  const params = { path: { projectId: place, objectId } };
  await answer(api.PATCH(`${OBJECTS}/{objectId}`, { params, body: { data: { text: source } } }));
}

/** All requests of the model of executions, which tests replace. */
export const executionApi = {
  read: readExecution,
  execute,
  stop: stopExecution,
  object: readCodeObject,
  create: createCode,
  change: changeCode,
};
export type ExecutionApi = typeof executionApi;
