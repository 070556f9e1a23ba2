// The settings of the deployment, which the page holds.

/** The console as a public client of an OpenID Connect issuer. */
export interface OpenIdClient {
  kind: "issuer";
  issuer: string;
  audience: string;
  clientId: string;
  authorizationUrl: string;
  tokenUrl: string;
  revocationUrl: string | null;
  endSessionUrl: string | null;
  scope: string;
}

export interface Settings {
  dataUrl: string;
  signIn: OpenIdClient | { kind: "development" | "issuerAway" | "unavailable" };
}

function read(): Settings {
  // Unit tests have no page.
  const held = globalThis.document?.querySelector("meta[name=settings]")?.getAttribute("content");
  return held ? JSON.parse(held) as Settings : { dataUrl: "", signIn: { kind: "unavailable" } };
}

export const settings = read();
