// Requests on the objects of a project's branch: its tree, one object, and edits. `place` is the project, with the
// branch where that isn't the default one.

import { all, answer, api, idempotent, tagOf } from "../client";
import type { components } from "../generated/control";

type Schemas = components["schemas"];
export type TreeNode = Schemas["TreeNode"];
export type FileRef = Schemas["FileRef"];
export type UncommittedChanges = Schemas["UncommittedChanges"];
export type ObjectVersion = Schemas["ListedObjectVersion"];
export type Data = Record<string, unknown>;
export type ProjectObject = Omit<Schemas["Object"], "data"> & { data: Data };
export type ObjectPatch = { name?: string; parent?: string; data?: Data };

const OBJECTS = "/api/v2/projects/{projectId}/objects";
const VERSIONS = 50;

export async function readTree(place: string): Promise<TreeNode[]> {
  return (await answer(api.GET("/api/v2/projects/{projectId}/tree", { params: { path: { projectId: place } } }))).tree;
}

/** The uncommitted changes of a branch. */
export function readChanges(projectId: string, branch: string): Promise<UncommittedChanges> {
  const params = { path: { projectId, branch } };
  return answer(api.GET("/api/v2/projects/{projectId}/branches/{branch}/changes", { params }));
}

/** An object as it is now, or as the last commit has it. */
export async function readObject(place: string, objectId: string, committed = false): Promise<ProjectObject> {
  const params = { path: { projectId: place, objectId }, query: committed ? { committed } : {} };
  return (await answer(api.GET(`${OBJECTS}/{objectId}`, { params }))).object as ProjectObject;
}

/** Where words of a search are in an object's text; ranges count code points. */
export interface ObjectMatch {
  objectId: string;
  field: string;
  excerpt: string;
  ranges: number[][];
}

/** Objects by the words in their names and, after those, in their texts. */
export async function searchObjects(place: string, q: string, limit: number) {
  const params = { path: { projectId: place }, query: { q, limit } };
  return (await answer(api.GET(OBJECTS, { params }))) as { objects: ProjectObject[]; matches?: ObjectMatch[] };
}

/** The objects of a type. */
export function readObjectsOf(place: string, type: string): Promise<ProjectObject[]> {
  const path = { projectId: place };
  return all((query) => answer(api.GET(OBJECTS, { params: { path, query: { ...query, type } } })),
    ({ objects }) => objects as ProjectObject[]);
}

/** A page of the pictures of a document's pages. */
export async function readPages(place: string, parent: string, cursor: string | null) {
  const query = { parent, type: "Page", limit: 20, ...(cursor ? { cursor } : {}) };
  const { objects, meta } = await answer(api.GET(OBJECTS, { params: { path: { projectId: place }, query } }));
  return { pages: objects as ProjectObject[], next: meta.hasMore ? meta.nextCursor : null };
}

/** The versions of an object's file, newest first. */
export async function readVersions(place: string, objectId: string): Promise<ObjectVersion[]> {
  const params = { path: { projectId: place, objectId }, query: { limit: VERSIONS } };
  return (await answer(api.GET(`${OBJECTS}/{objectId}/versions`, { params }))).versions;
}

export async function createObject(place: string, body: { name: string; type: string; parent: string }, key: string) {
  const params = { path: { projectId: place } };
  return (await answer(api.POST(OBJECTS, { params, headers: idempotent(key), body }))).object.id;
}

/** Changes an object, unless somebody else has changed it since it was read. */
export async function patchObject(place: string, objectId: string, body: ObjectPatch): Promise<void> {
  const params = { path: { projectId: place, objectId }, header: { "If-Match": await knownTag(place, objectId) } };
  await answer(api.PATCH(`${OBJECTS}/{objectId}`, { params, body }));
}

export async function deleteObject(place: string, objectId: string): Promise<void> {
  const params = { path: { projectId: place, objectId }, header: { "If-Match": await knownTag(place, objectId) } };
  await answer(api.DELETE(`${OBJECTS}/{objectId}`, { params }));
}

/** The entity tag of what the person has seen of an object. */
async function knownTag(place: string, objectId: string): Promise<string> {
  const address = `/api/v2/projects/${encodeURIComponent(place)}/objects/${objectId}`;
  if (!tagOf(address)) await readObject(place, objectId);
  return tagOf(address) ?? "*";
}

export async function commitChanges(projectId: string, branch: string, message: string, key: string): Promise<string> {
  const sent = { params: { path: { projectId, branch } }, headers: idempotent(key), body: { message } };
  const made = await answer(api.POST("/api/v2/projects/{projectId}/branches/{branch}/commits", sent));
  return made.commit.hash;
}

/** All requests of a files page's model, which tests replace. */
export const filesApi = { tree: readTree, changes: readChanges, object: readObject, create: createObject,
  patch: patchObject, remove: deleteObject, commit: commitChanges };
export type FilesApi = typeof filesApi;
