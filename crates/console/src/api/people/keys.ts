// Requests on API keys: the caller's own, and those of service accounts.

import { all, answer, api, idempotent } from "../client";
import { ApiError } from "../errors";
import type { components } from "../generated/control";

type Schemas = components["schemas"];
export type Key = Schemas["ApiKeyRecord"];
export type Scope = Schemas["Scope"];
export type IssuedKey = Schemas["IssuedKey"];

export interface NewKey {
  name: string;
  scopes: Scope[];
  expiresAt: string;
  /** A key of development, by its prefix. */
  test?: boolean;
}

/** The service account of an organization that keys belong to; without one they are the caller's own. */
export interface AccountPath {
  orgId: string;
  accountId: string;
}

const OWN = "/api/v2/api-keys";
const ACCOUNT = "/api/v2/orgs/{orgId}/service-accounts/{accountId}/keys";

export function readKeys(path?: AccountPath): Promise<Key[]> {
  return all(
    (query) =>
      path
        ? answer(api.GET(ACCOUNT, { params: { path: { ...path }, query } }))
        : answer(api.GET(OWN, { params: { query } })),
    ({ apiKeys }) => apiKeys,
  );
}

/** Makes a key; its text is answered this once. */
export function createKey(body: NewKey, once: string, path?: AccountPath): Promise<IssuedKey> {
  const headers = idempotent(once);
  return path
    ? answer(api.POST(ACCOUNT, { params: { path: { ...path } }, headers, body }))
    : answer(api.POST(OWN, { headers, body }));
}

/** Makes a successor of an own key; the old one works for the grace period. */
export function rotateKey(keyId: string, graceSeconds: number, once: string): Promise<IssuedKey> {
  const [params, headers] = [{ path: { keyId } }, idempotent(once)];
  return answer(api.POST(`${OWN}/{keyId}/rotate`, { params, headers, body: { graceSeconds } }));
}

/** Revokes a key. One that is gone already is no failure. */
export async function revokeKey(keyId: string, path?: AccountPath): Promise<void> {
  const asked = path
    ? answer(api.DELETE(`${ACCOUNT}/{keyId}`, { params: { path: { ...path, keyId } } }))
    : answer(api.DELETE(`${OWN}/{keyId}`, { params: { path: { keyId } } }));
  await asked.catch((error: unknown) => {
    if (!(error instanceof ApiError) || error.status !== 404) throw error;
  });
}

/** All requests of the models of keys, which tests replace. */
export const keyApi = { read: readKeys, create: createKey, rotate: rotateKey, revoke: revokeKey };
export type KeyApi = typeof keyApi;
