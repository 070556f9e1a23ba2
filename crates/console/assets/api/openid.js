// The authorization code flow with PKCE (RFC 7636), as a public client.

import { text } from "../text.js";

/**
 * @typedef {import("../settings.js").Client} Client
 * @typedef {import("./session.js").Tokens} Tokens
 */

const KEY = "sign-in";
const VERIFIER_BYTES = 32;

/** @param {Uint8Array} bytes */
function base64url(bytes) {
  return btoa(String.fromCharCode(...bytes)).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

function random() {
  return base64url(crypto.getRandomValues(new Uint8Array(VERIFIER_BYTES)));
}

function redirectUrl() {
  return `${location.origin}/sign-in`;
}

/** Leaves for the issuer's page. @param {Client} client @param {string} to */
export async function beginCodeFlow(client, to) {
  // Browsers hash on secure origins alone.
  if (!isSecureContext) throw new Error(text.signIn.insecure);
  const [verifier, state] = [random(), random()];
  sessionStorage.setItem(KEY, JSON.stringify({ verifier, state, to }));
  const hash = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(verifier));
  const url = new URL(client.authorizationUrl);
  const parameters = {
    response_type: "code", client_id: client.clientId, redirect_uri: redirectUrl(), scope: client.scope,
    audience: client.audience, state, code_challenge: base64url(new Uint8Array(hash)), code_challenge_method: "S256",
  };
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  location.assign(url);
}

/**
 * Exchanges the code of the answer, if this tab asked for it.
 * @param {Client} client @param {URLSearchParams} answer @returns {Promise<{ tokens: Tokens, to: string }>}
 */
export async function finishCodeFlow(client, answer) {
  const kept = sessionStorage.getItem(KEY);
  sessionStorage.removeItem(KEY);
  const asked = kept ? JSON.parse(kept) : null;
  const issuer = answer.get("iss");
  if (!asked || asked.state !== answer.get("state") || (issuer !== null && issuer !== client.issuer)) {
    throw new Error(text.signIn.foreign);
  }
  const code = answer.get("code");
  if (!code) throw new Error(answer.get("error_description") ?? answer.get("error") ?? text.signIn.failed);
  const tokens = await request(client, {
    grant_type: "authorization_code", code, redirect_uri: redirectUrl(), code_verifier: asked.verifier,
  });
  return { tokens, to: local(asked.to) };
}

/** @param {Client} client @param {string} refresh @returns {Promise<Tokens>} */
export function renewByIssuer(client, refresh) {
  return request(client, { grant_type: "refresh_token", refresh_token: refresh });
}

/** Revokes a refresh token (RFC 7009), where the issuer does that. @param {Client} client @param {string} refresh */
export async function revokeAtIssuer(client, refresh) {
  if (!client.revocationUrl) return;
  const form = new URLSearchParams({ client_id: client.clientId, token: refresh, token_type_hint: "refresh_token" });
  await fetch(client.revocationUrl, { method: "POST", body: form, keepalive: true });
}

/** A path of this origin, even if the address held another. @param {unknown} to */
export function local(to) {
  const url = new URL(String(to ?? "/"), location.origin);
  return url.origin === location.origin && url.pathname !== "/sign-in" ? url.pathname + url.search : "/";
}

/** @param {Client} client @param {Record<string, string>} body @returns {Promise<Tokens>} */
async function request(client, body) {
  const form = new URLSearchParams({ client_id: client.clientId, ...body });
  const answer = await fetch(client.tokenUrl, { method: "POST", body: form }).catch(() => null);
  if (!answer) throw new Error(text.signIn.issuerAway);
  const tokens = await answer.json().catch(() => ({}));
  if (!answer.ok || !tokens.access_token) throw new Error(tokens.error_description ?? text.signIn.failed);
  return tokens;
}
