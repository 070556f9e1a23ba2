// The caller and their organizations, read once for each sign-in.

import { signal } from "@preact/signals";
import { readCaller, readOrganizations, readTeams, type Organization, type Team } from "../../api/places";
import { token } from "../../api/session";

export type Caller = Awaited<ReturnType<typeof readCaller>>;

/** The caller, once they are known. */
export const caller = signal<Caller | null>(null);
let known: { token: string | undefined; user: Promise<Caller> } | null = null;

/** The caller, read once for each token. */
export function readAccount(): Promise<Caller> {
  const own = token();
  if (known && known.token === own) return known.user;
  const now = { token: own, user: readCaller() };
  known = now;
  now.user.then((user) => { if (known === now) caller.value = user; }, () => { if (known === now) known = null; });
  return now.user;
}

/** Takes over a change of the caller's account: the frame shows it, and so do pages that open later. */
export function takeAccount(user: Caller): void {
  if (known) known = { ...known, user: Promise.resolve(user) };
  caller.value = user;
}

/** Forgets the caller: the sign-in is over. */
export function forgetAccount(): void {
  [known, caller.value] = [null, null];
}

export const mayMakeTeams = ({ role }: Organization) => role !== "guest";
export const manages = ({ role }: Organization) => role === "admin" || role === "owner";

/** The boards of all organizations of the caller, with what they belong to. */
export async function readAllTeams(): Promise<{ organizations: Organization[]; teams: Team[] }> {
  const organizations = await readOrganizations();
  return { organizations, teams: (await Promise.all(organizations.map(({ id }) => readTeams(id)))).flat() };
}
