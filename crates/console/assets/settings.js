// The settings of the deployment, which the page holds.

/**
 * @typedef {{ kind: "issuer", issuer: string, audience: string, clientId: string, authorizationUrl: string,
 *   tokenUrl: string, revocationUrl: string | null, endSessionUrl: string | null, scope: string }} Client
 * @typedef {{ dataUrl: string, signIn: Client | { kind: "development" | "issuerAway" | "unavailable" } }} Settings
 */

const held = document.querySelector("meta[name=settings]")?.getAttribute("content");

/** @type {Settings} */
export const settings = JSON.parse(held ?? "{}");
