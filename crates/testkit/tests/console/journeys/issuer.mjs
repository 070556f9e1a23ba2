// An OpenID Connect issuer for tests: signs everybody in as one person, and insists on PKCE. Prints its URL.

import { createHash, generateKeyPairSync, randomUUID, sign } from "node:crypto";
import { createServer } from "node:http";

const { privateKey, publicKey } = generateKeyPairSync("ed25519");
const codes = new Map();
let refreshed = 0;
const revoked = new Set();

function token(claims) {
  const encode = (value) => Buffer.from(JSON.stringify(value)).toString("base64url");
  const message = `${encode({ alg: "EdDSA", kid: "key", typ: "at+jwt" })}.${encode(claims)}`;
  return `${message}.${sign(null, Buffer.from(message), privateKey).toString("base64url")}`;
}

const server = createServer(async (request, response) => {
  const url = new URL(request.url, issuer);
  const json = (status, body) => {
    response.writeHead(status, { "Content-Type": "application/json", "Access-Control-Allow-Origin": "*" });
    response.end(JSON.stringify(body));
  };
  if (url.pathname === "/.well-known/openid-configuration") {
    // Tokens are revoked at another origin, which the page's policy must allow as well.
    return json(200, { issuer, jwks_uri: `${issuer}/jwks`, authorization_endpoint: `${issuer}/authorize`,
      token_endpoint: `${issuer}/token`, revocation_endpoint: `${issuer.replace("127.0.0.1", "localhost")}/revoke` });
  }
  if (url.pathname === "/jwks") {
    return json(200, { keys: [{ ...publicKey.export({ format: "jwk" }), kid: "key", alg: "EdDSA", use: "sig" }] });
  }
  if (url.pathname === "/authorize") {
    const asked = Object.fromEntries(url.searchParams);
    if (asked.response_type !== "code" || asked.code_challenge_method !== "S256") return json(400, asked);
    const code = randomUUID();
    codes.set(code, asked);
    const back = new URL(asked.redirect_uri);
    for (const [name, value] of Object.entries({ code, state: asked.state, iss: issuer })) {
      back.searchParams.set(name, value);
    }
    response.writeHead(302, { Location: back.href });
    return response.end();
  }
  const read = async () => {
    let body = "";
    for await (const piece of request) body += piece;
    return Object.fromEntries(new URLSearchParams(body));
  };
  if (url.pathname === "/revoke") {
    const { token, client_id: client, token_type_hint: hint } = await read();
    if (client === "atelier-console" && hint === "refresh_token") revoked.add(token);
    return json(200, {});
  }
  if (url.pathname === "/token") {
    const form = await read();
    const now = Math.floor(Date.now() / 1000);
    // The first token is too old at once, so that it has to be renewed.
    const claims = { iss: issuer, aud: "https://atelier.example.org", sub: "grace", name: "Grace",
      email: "grace@example.org", email_verified: true, iat: now,
      exp: now + (form.grant_type === "refresh_token" ? 600 : -60) };
    if (form.grant_type === "refresh_token" && form.refresh_token === "again" && !revoked.has("again")) {
      refreshed += 1;
      return json(200, { access_token: token(claims), token_type: "Bearer" });
    }
    const asked = codes.get(form.code);
    codes.delete(form.code);
    const challenge = createHash("sha256").update(form.code_verifier ?? "").digest("base64url");
    if (!asked || challenge !== asked.code_challenge || form.redirect_uri !== asked.redirect_uri
      || form.client_id !== "atelier-console") return json(400, { error: "invalid_grant" });
    return json(200, { access_token: token(claims), refresh_token: "again", token_type: "Bearer" });
  }
  return json(404, { refreshed });
});
let issuer;
server.listen(0, "127.0.0.1", () => {
  issuer = `http://127.0.0.1:${server.address().port}`;
  console.log(issuer);
});
