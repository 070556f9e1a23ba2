// An invitation that a person opened by its link. The link's fragment, which no server sees, holds the secret, and the
// names that the page for signing in shows; both wait in the tab meanwhile.

/** Names on an invitation's link. The service has not checked them. */
export interface InvitationNames {
  organization: string;
  inviter: string;
  role: string;
}

const KEY = "invitation";
const NAMES_KEY = "invitation-names";
const MOST_CHARACTERS = 200;

/** Takes the secret out of the address, where a person may copy it. */
export function keepInvitation(): void {
  if (location.pathname !== "/invitations") return;
  const fragment = new URLSearchParams(location.hash.slice(1));
  const secret = fragment.get("secret");
  if (!secret) return;
  const names = namesOf(fragment);
  sessionStorage.setItem(KEY, secret);
  if (names) sessionStorage.setItem(NAMES_KEY, JSON.stringify(names));
  else sessionStorage.removeItem(NAMES_KEY);
  history.replaceState(null, "", "/invitations");
}

/** The waiting secret, if any. */
export const invitation = () => sessionStorage.getItem(KEY);

/** The names on the link, if it has them: one that a program made may have none. */
export function invitationNames(): InvitationNames | null {
  return JSON.parse(sessionStorage.getItem(NAMES_KEY) ?? "null") as InvitationNames | null;
}

export function forgetInvitation(): void {
  sessionStorage.removeItem(KEY);
  sessionStorage.removeItem(NAMES_KEY);
}

/** The link that invites. */
export function invitationLink(secret: string, names: InvitationNames, origin: string): string {
  return `${origin}/invitations#${new URLSearchParams({ secret, ...names })}`;
}

export function namesOf(fragment: URLSearchParams): InvitationNames | null {
  const [organization, inviter, role] = ["organization", "inviter", "role"].map((name) => fragment.get(name)?.trim());
  if (!organization || !inviter || !role) return null;
  const cut = (name: string) => [...name].slice(0, MOST_CHARACTERS).join("");
  return { organization: cut(organization), inviter: cut(inviter), role };
}
