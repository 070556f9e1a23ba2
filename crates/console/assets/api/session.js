// The person's sign-in. Tokens are in `sessionStorage` alone: gone with the last tab, and sent by no browser on its own.

import { settings } from "../settings.js";
import { text } from "../text.js";
import { beginCodeFlow, finishCodeFlow, renewByIssuer, revokeAtIssuer } from "./openid.js";
import { newKey, persist } from "./persist.js";
import { askTabs, shareWithTabs, tellEnded, tellRenewed } from "./tabs.js";

/**
 * @typedef {{ access_token: string, expires_in?: number, refresh_token?: string, id_token?: string }} Tokens
 * @typedef {{ token: string, refresh?: string, id?: string }} Session
 * @typedef {{ kind: "none" } | { kind: "done", to: string } | { kind: "failed", reason: string }} Outcome
 */

const KEY = "session";
/** Longest wait for the service and the issuer before the tab forgets its tokens. Requests go on after that. */
const LEAVING_MS = 2000;
/** @type {(isEnded: boolean) => void} */
let signedOut = () => {};
/** @type {Promise<boolean> | null} */
let renewing = null;

const stored = () => sessionStorage.getItem(KEY);

shareWithTabs({
  read: stored,
  renewed: (session) => sessionStorage.setItem(KEY, session),
  ended() {
    sessionStorage.clear();
    signedOut(true);
  },
});

/** @returns {Session | null} */
function session() {
  const kept = stored();
  return kept ? JSON.parse(kept) : null;
}

/** True while this tab has a token. */
export function isSignedIn() {
  return session() !== null;
}

/** The token of requests, if any. */
export function token() {
  return session()?.token;
}

/** Calls `listener` when the sign-in is over; it is told whether that came from elsewhere. @param {(isEnded: boolean) => void} listener */
export function onSignedOut(listener) {
  signedOut = listener;
}

/** @param {Tokens} tokens */
function keep(tokens) {
  const kept = { token: tokens.access_token, refresh: tokens.refresh_token, id: tokens.id_token };
  sessionStorage.setItem(KEY, JSON.stringify(kept));
}

/** Signs in with a token that the person has. @param {string} own */
export function useToken(own) {
  keep({ access_token: own.trim() });
}

/** Leaves for the issuer's page. @param {string} to the path to come back to */
export async function signInAtIssuer(to) {
  if (settings.signIn.kind === "issuer") await beginCodeFlow(settings.signIn, to);
}

/** Ends the tab's token at the service, and leaves. */
export function signOut() {
  const headers = { Authorization: `Bearer ${token()}` };
  return leave(fetch("/api/v2/me/sign-out", { method: "POST", headers, keepalive: true }));
}

/**
 * Ends the sign-in at the issuer, forgets it, and leaves for the issuer's page where it has one for that. A service that
 * doesn't answer keeps nobody here.
 * @param {Promise<unknown>} [ended] the end of the token at the service
 */
export async function leave(ended) {
  const { refresh, id } = session() ?? {};
  const { signIn } = settings;
  const revoked = refresh && signIn.kind === "issuer" ? revokeAtIssuer(signIn, refresh) : undefined;
  const late = new Promise((resolve) => setTimeout(resolve, LEAVING_MS));
  await Promise.race([Promise.allSettled([ended, revoked]), late]);
  tellEnded(stored());
  sessionStorage.clear();
  if (signIn.kind === "issuer" && signIn.endSessionUrl) {
    const end = new URL(signIn.endSessionUrl);
    end.searchParams.set("client_id", signIn.clientId);
    end.searchParams.set("post_logout_redirect_uri", `${location.origin}/sign-in`);
    if (id) end.searchParams.set("id_token_hint", id);
    location.assign(end);
  } else {
    signedOut(false);
  }
}

/** Forgets a token that the service refuses. */
export function expire() {
  sessionStorage.removeItem(KEY);
  signedOut(true);
}

/** Renews the token where the issuer gave the means. All requests share one renewal. @returns {Promise<boolean>} */
export function renew() {
  const refresh = session()?.refresh;
  const { signIn } = settings;
  if (!refresh || signIn.kind !== "issuer") return Promise.resolve(false);
  renewing ??= renewByIssuer(signIn, refresh)
    .then((tokens) => {
      // The person may have signed out meanwhile.
      if (session()?.refresh !== refresh) return false;
      const before = stored();
      keep({ refresh_token: refresh, ...tokens });
      tellRenewed(before, stored() ?? "");
      return true;
    }, () => false)
    .finally(() => { renewing = null; });
  return renewing;
}

/** Takes the sign-in of another tab, if this one has none. */
export async function joinTabs() {
  if (stored()) return;
  const session = await askTabs();
  if (session) sessionStorage.setItem(KEY, session);
}

/** Finishes a sign-in whose ticket or code is in the address. @returns {Promise<Outcome>} */
export async function finishSignIn() {
  if (location.pathname !== "/sign-in") return { kind: "none" };
  const ticket = new URLSearchParams(location.hash.slice(1)).get("ticket");
  const search = new URLSearchParams(location.search);
  if (!ticket && !search.has("state")) return { kind: "none" };
  // Neither stays in the address, where a person may copy it.
  history.replaceState(null, "", "/sign-in");
  try {
    if (ticket) {
      keep(await exchange(ticket));
      return { kind: "done", to: "/" };
    }
    if (settings.signIn.kind !== "issuer") return { kind: "none" };
    const { tokens, to } = await finishCodeFlow(settings.signIn, search);
    keep(tokens);
    return { kind: "done", to };
  } catch (error) {
    return { kind: "failed", reason: error instanceof Error ? error.message : String(error) };
  }
}

/** @param {string} ticket @returns {Promise<Tokens>} */
async function exchange(ticket) {
  // The key lets this page alone ask again, if the ticket was taken and the answer was lost.
  const headers = { Authorization: `Bearer ${ticket}`, "Idempotency-Key": newKey() };
  const answer = await persist("/sign-in/ticket", { method: "POST", headers }, true);
  if (!answer) throw new Error(text.errors.network);
  if (!answer.ok) throw new Error(answer.status === 401 ? text.signIn.usedTicket : text.signIn.failed);
  return answer.json();
}
