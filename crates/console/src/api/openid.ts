// The authorization code flow with PKCE (RFC 7636), as a public client, by oauth4webapi.

import * as oauth from "oauth4webapi";
import { text } from "../text";
import { local } from "./local";
import type { OpenIdClient } from "./settings";

export interface Tokens {
  access_token: string;
  refresh_token?: string | undefined;
  id_token?: string | undefined;
}

/** The sign-in that the tab has begun. */
interface Begun {
  verifier: string;
  state: string;
  to: string;
}

const KEY = "sign-in";
/** Issuers without TLS exist on development machines; the service decides which issuer it accepts. */
const OPTIONS = { [oauth.allowInsecureRequests]: true };

const redirectUrl = () => `${location.origin}/sign-in`;

function serverOf(client: OpenIdClient): oauth.AuthorizationServer {
  return {
    issuer: client.issuer,
    authorization_endpoint: client.authorizationUrl,
    token_endpoint: client.tokenUrl,
    ...(client.revocationUrl ? { revocation_endpoint: client.revocationUrl } : {}),
  };
}

/** Leaves for the issuer's page; `to` is the path to come back to. */
export async function beginCodeFlow(client: OpenIdClient, to: string): Promise<void> {
  // Browsers hash on secure origins alone.
  if (!isSecureContext) throw new Error(text.signIn.insecure);
  const [verifier, state] = [oauth.generateRandomCodeVerifier(), oauth.generateRandomState()];
  sessionStorage.setItem(KEY, JSON.stringify({ verifier, state, to } satisfies Begun));
  const url = new URL(client.authorizationUrl);
  const parameters = {
    response_type: "code",
    client_id: client.clientId,
    redirect_uri: redirectUrl(),
    scope: client.scope,
    audience: client.audience,
    state,
    code_challenge_method: "S256",
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
  };
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  location.assign(url);
}

/** Exchanges the code of the answer, if this tab asked for it. */
export async function finishCodeFlow(client: OpenIdClient, answer: URLSearchParams) {
  const kept = sessionStorage.getItem(KEY);
  sessionStorage.removeItem(KEY);
  const begun = kept ? (JSON.parse(kept) as Begun) : null;
  if (!begun || begun.state !== answer.get("state")) throw new Error(text.signIn.foreign);
  const [server, own] = [serverOf(client), { client_id: client.clientId }];
  try {
    const parameters = oauth.validateAuthResponse(server, own, answer, begun.state);
    const response = await oauth.authorizationCodeGrantRequest(
      server,
      own,
      oauth.None(),
      parameters,
      redirectUrl(),
      begun.verifier,
      OPTIONS,
    );
    return {
      tokens: tokensOf(await oauth.processAuthorizationCodeResponse(server, own, response)),
      to: local(begun.to),
    };
  } catch (error) {
    throw new Error(reasonOf(error));
  }
}

/** New tokens for a refresh token. */
export async function renewByIssuer(client: OpenIdClient, refresh: string): Promise<Tokens> {
  const [server, own] = [serverOf(client), { client_id: client.clientId }];
  const response = await oauth.refreshTokenGrantRequest(server, own, oauth.None(), refresh, OPTIONS);
  return tokensOf(await oauth.processRefreshTokenResponse(server, own, response));
}

function tokensOf({ access_token, refresh_token, id_token }: oauth.TokenEndpointResponse): Tokens {
  return { access_token, refresh_token, id_token };
}

/** The issuer's own words where it has some. */
function reasonOf(error: unknown): string {
  if (error instanceof oauth.AuthorizationResponseError || error instanceof oauth.ResponseBodyError) {
    return error.error_description ?? error.error;
  }
  if (error instanceof oauth.OperationProcessingError) return text.signIn.foreign;
  // A fetch without an answer.
  return error instanceof TypeError ? text.signIn.issuerAway : text.signIn.failed;
}
