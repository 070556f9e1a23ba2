// The secret of an invitation that a person opened. It comes in the fragment, which no server sees, and waits in the tab
// while the person signs in.

const KEY = "invitation";

/** Takes the secret out of the address, where a person may copy it. */
export function keepInvitation() {
  if (location.pathname !== "/invitations") return;
  const secret = new URLSearchParams(location.hash.slice(1)).get("secret");
  if (!secret) return;
  sessionStorage.setItem(KEY, secret);
  history.replaceState(null, "", "/invitations");
}

/** The waiting secret, if any. */
export function invitation() {
  return sessionStorage.getItem(KEY);
}

/** Forgets the secret. */
export function forgetInvitation() {
  sessionStorage.removeItem(KEY);
}

/** The link that invites by `secret`. @param {string} secret */
export function invitationLink(secret) {
  return `${location.origin}/invitations#secret=${encodeURIComponent(secret)}`;
}
