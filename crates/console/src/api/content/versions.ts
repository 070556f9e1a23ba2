// Requests on the versions of a project: commits, comparisons, merges, and what is discarded.

import type { CardPath } from "../planning/cards";
import { answer, api, idempotent } from "../client";
import type { components } from "../generated/control";
import { newKey } from "../persist";

type Schemas = components["schemas"];
export type Commit = Schemas["CommitRecord"];
export type CardCommit = Schemas["CardCommit"];
/** A kind of difference of a changed object. */
export type ChangeAspect = "moved" | "shape" | "definition" | "renamed" | "relocated" | "content" | "properties";
/** The way of a moved object in its assembly. */
export interface Displacement {
  shift: readonly number[];
  distance: number;
  unit?: string;
  turnDegrees?: number;
}
export type ObjectChange = Schemas["ObjectChange"] & { aspects?: readonly ChangeAspect[]; displacement?: Displacement };
export type ChangeKind = Schemas["ObjectChangeKind"];
export type Field = Schemas["FieldChange"];
export type MergeReport = Schemas["MergeReport"];
export type Resolution = { objectId: string; field: string; take: Schemas["MergeTake"] };

/** A field that both sides of a merge have changed; `details.conflicts` of a refusal. */
export interface Conflict {
  objectId: string;
  field: string;
  kind: string;
  base?: unknown;
  ours?: unknown;
  theirs?: unknown;
}

const PROJECT = "/api/v2/projects/{projectId}";

export async function readCommits(projectId: string, branch: string, cursor: string | null) {
  const params = { path: { projectId, branch }, query: { limit: 50, ...(cursor ? { cursor } : {}) } };
  const { commits, meta } = await answer(api.GET(`${PROJECT}/branches/{branch}/commits`, { params }));
  return { commits, next: meta.hasMore ? meta.nextCursor : null };
}

export async function readCommit(projectId: string, hash: string): Promise<Commit> {
  return (await answer(api.GET(`${PROJECT}/commits/{hash}`, { params: { path: { projectId, hash } } }))).commit;
}

/** The newest commits whose messages name a card, each with the first line of its message. */
export async function readCardCommits(path: CardPath): Promise<CardCommit[]> {
  return (await answer(api.GET(`${PROJECT}/cards/{cardId}/commits`, { params: { path } }))).commits;
}

export interface ComparedSides {
  base: string;
  head: string;
  /** Compares with the last common ancestor of both, instead of the base as it is. */
  mergeBase?: boolean;
}

/** A page of the objects in which two branches or commits differ. */
export async function compare(projectId: string, sides: ComparedSides, cursor: string | null) {
  const query = { ...sides, limit: 100, ...(cursor ? { cursor } : {}) };
  const { meta, ...page } = await answer(api.GET(`${PROJECT}/compare`, { params: { path: { projectId }, query } }));
  const objects: ObjectChange[] = page.objects;
  return { ...page, objects, next: meta.hasMore ? meta.nextCursor : null };
}

/** Discards uncommitted changes of a branch: all, or those of some objects. */
export async function discard(projectId: string, branch: string, objectIds?: readonly string[]): Promise<void> {
  const query = objectIds ? { objectIds: objectIds.join() } : {};
  await answer(api.DELETE(`${PROJECT}/branches/{branch}/changes`, { params: { path: { projectId, branch }, query } }));
}

export interface MergeWish {
  source: string;
  dryRun?: boolean;
  resolutions?: Resolution[];
  expectedHead?: string;
}

/** Merges a branch into another, or says what that would do. */
export async function merge(projectId: string, branch: string, body: MergeWish, key = newKey()): Promise<MergeReport> {
  const sent = { params: { path: { projectId, branch } }, headers: idempotent(key), body };
  return (await answer(api.POST(`${PROJECT}/branches/{branch}/merge`, sent))).merge;
}

/** Takes back a commit on a branch. */
export async function revert(
  projectId: string,
  hash: string,
  body: { branch: string; resolutions: Resolution[] },
  key: string,
): Promise<MergeReport> {
  const sent = { params: { path: { projectId, hash } }, headers: idempotent(key), body };
  return (await answer(api.POST(`${PROJECT}/commits/{hash}/revert`, sent))).merge;
}

export const compareApi = { compare };
export type CompareApi = typeof compareApi;
