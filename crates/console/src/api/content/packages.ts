// Requests on packages: what a project publishes for others, and what it includes of them.

import { all, answer, api, idempotent } from "../client";
import type { components } from "../generated/control";

type Schemas = components["schemas"];
export type Package = Schemas["Package"];
export type Include = Schemas["IncludeRecord"];

const PACKAGES = "/api/v2/projects/{projectId}/packages";
const INCLUDES = "/api/v2/projects/{projectId}/includes";

export function readPackages(projectId: string): Promise<Package[]> {
  return all((query) => answer(api.GET(PACKAGES, { params: { path: { projectId }, query } })),
    ({ packages }) => packages);
}

/** A package as it is published now; null if the caller can't read it. */
export async function readPackage(projectId: string, packageId: string): Promise<Package | null> {
  const params = { path: { projectId, packageId } };
  return answer(api.GET(`${PACKAGES}/{packageId}`, { params })).then((found) => found.package, () => null);
}

/** Publishes an object as the last commit of the default branch has it. */
export async function publish(projectId: string, packageId: string, description: string): Promise<void> {
  const params = { path: { projectId, packageId } };
  await answer(api.PUT(`${PACKAGES}/{packageId}`, { params, body: { description } }));
}

export async function withdraw(projectId: string, packageId: string): Promise<void> {
  await answer(api.DELETE(`${PACKAGES}/{packageId}`, { params: { path: { projectId, packageId } } }));
}

/** An included package; null if it is gone. */
export async function readInclude(projectId: string, includeId: string): Promise<Include | null> {
  const params = { path: { projectId, includeId } };
  return answer(api.GET(`${INCLUDES}/{includeId}`, { params })).then((found) => found.include, () => null);
}

export async function include(projectId: string, ref: string, key: string): Promise<void> {
  const sent = { params: { path: { projectId } }, headers: idempotent(key), body: { ref, parent: projectId } };
  await answer(api.POST(INCLUDES, sent));
}

/** Pins an included package to another commit. */
export async function pin(projectId: string, includeId: string, commitHash: string): Promise<void> {
  const params = { path: { projectId, includeId } };
  await answer(api.PATCH(`${INCLUDES}/{includeId}`, { params, body: { commitHash } }));
}
