// The person's sign-in. Tokens are in `sessionStorage` alone: gone with the last tab, and sent by no browser unasked.

import { signal } from "@preact/signals";
import { text } from "../text";
import { reasonOf } from "./errors";
import { newKey, pause, persist } from "./persist";
import { settings } from "./settings";
import { askTabs, shareWithTabs, tellEnded, tellRenewed } from "./tabs";
import type { Tokens } from "./openid";

interface Session {
  token: string;
  refresh?: string | undefined;
  id?: string | undefined;
}

export type SignInOutcome = { kind: "none" } | { kind: "done"; to: string } | { kind: "failed"; reason: string };

const KEY = "session";
/** Longest wait for the service and the issuer before the tab forgets its tokens. Requests go on after that. */
const LEAVING_MS = 2000;

const openid = () => import("./openid");
let renewing: Promise<boolean> | null = null;
let signedOut: (isEnded: boolean) => void = () => {};

const stored = () => globalThis.sessionStorage?.getItem(KEY) ?? null;

/** True while this tab has a token. */
export const isSignedIn = signal(stored() !== null);

/** The token of requests, if any. */
export function token(): string | undefined {
  return session()?.token;
}

/** Calls `listener` when the sign-in is over; it is told whether that came from elsewhere. */
export function onSignedOut(listener: (isEnded: boolean) => void): void {
  signedOut = listener;
  shareWithTabs({ read: stored, renewed: store, ended: () => forget(true) });
}

/** Signs in with a token that the person has. */
export function useToken(own: string): void {
  keep({ access_token: own.trim() });
}

/** Leaves for the issuer's page; `to` is the path to come back to. */
export async function signInAtIssuer(to: string): Promise<void> {
  if (settings.signIn.kind === "issuer") await (await openid()).beginCodeFlow(settings.signIn, to);
}

/** Ends the tab's token at the service, and leaves. */
export function signOut(): Promise<void> {
  const headers = { Authorization: `Bearer ${token()}` };
  return leave(fetch("/api/v2/me/sign-out", { method: "POST", headers, keepalive: true }));
}

/**
 * Ends the sign-in at the issuer, forgets it, and leaves for the issuer's page where it has one for that. A service
 * that doesn't answer keeps nobody here. `ended` is the end of the token at the service.
 */
export async function leave(ended?: Promise<unknown>): Promise<void> {
  const { refresh, id } = session() ?? {};
  const { signIn } = settings;
  const revoked =
    refresh && signIn.kind === "issuer" && signIn.revocationUrl
      ? fetch(signIn.revocationUrl, {
          method: "POST",
          keepalive: true,
          body: new URLSearchParams({ client_id: signIn.clientId, token: refresh, token_type_hint: "refresh_token" }),
        })
      : undefined;
  await Promise.race([Promise.allSettled([ended, revoked]), pause(LEAVING_MS)]);
  tellEnded(stored());
  if (signIn.kind !== "issuer" || !signIn.endSessionUrl) return forget(false);
  sessionStorage.clear();
  const end = new URL(signIn.endSessionUrl);
  end.searchParams.set("client_id", signIn.clientId);
  end.searchParams.set("post_logout_redirect_uri", `${location.origin}/sign-in`);
  if (id) end.searchParams.set("id_token_hint", id);
  location.assign(end);
}

/** Forgets a token that the service refuses. Drafts stay for the next sign-in. */
export function expire(): void {
  sessionStorage.removeItem(KEY);
  isSignedIn.value = false;
  signedOut(true);
}

/** Renews the token where the issuer gave the means. All requests share one renewal. */
export function renew(): Promise<boolean> {
  const refresh = session()?.refresh;
  const { signIn } = settings;
  if (!refresh || signIn.kind !== "issuer") return Promise.resolve(false);
  renewing ??= openid()
    .then(({ renewByIssuer }) => renewByIssuer(signIn, refresh))
    .then(
      (tokens) => {
        // The person may have signed out meanwhile.
        if (session()?.refresh !== refresh) return false;
        const before = stored();
        keep({ ...tokens, refresh_token: tokens.refresh_token ?? refresh });
        tellRenewed(before, stored() ?? "");
        return true;
      },
      () => false,
    )
    .finally(() => {
      renewing = null;
    });
  return renewing;
}

/** Takes the sign-in of another tab, if this one has none. */
export async function joinTabs(): Promise<void> {
  if (stored()) return;
  const other = await askTabs();
  if (other) store(other);
}

/** Finishes a sign-in whose ticket or code is in the address. */
export async function finishSignIn(): Promise<SignInOutcome> {
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
    const { tokens, to } = await (await openid()).finishCodeFlow(settings.signIn, search);
    keep(tokens);
    return { kind: "done", to };
  } catch (error) {
    return { kind: "failed", reason: reasonOf(error) };
  }
}

async function exchange(ticket: string): Promise<Tokens> {
  // The key lets this page alone ask again, if the ticket was taken and the answer was lost.
  const headers = { Authorization: `Bearer ${ticket}`, "Idempotency-Key": newKey() };
  const answer = await persist(() => new Request("/sign-in/ticket", { method: "POST", headers }), true);
  if (!answer) throw new Error(text.errors.network);
  if (!answer.ok) throw new Error(answer.status === 401 ? text.signIn.usedTicket : text.signIn.failed);
  return answer.json() as Promise<Tokens>;
}

function session(): Session | null {
  const kept = stored();
  return kept ? (JSON.parse(kept) as Session) : null;
}

function keep(tokens: Tokens): void {
  const kept: Session = { token: tokens.access_token, refresh: tokens.refresh_token, id: tokens.id_token };
  store(JSON.stringify(kept));
}

function store(session: string): void {
  sessionStorage.setItem(KEY, session);
  isSignedIn.value = true;
}

function forget(isEnded: boolean): void {
  sessionStorage.clear();
  isSignedIn.value = false;
  signedOut(isEnded);
}
