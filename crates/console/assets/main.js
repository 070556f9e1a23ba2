// Start: read the settings, finish a sign-in, and open the page of the address.

import { invitation, keepInvitation } from "./api/invitation.js";
import { finishSignIn, isSignedIn, joinTabs, onSignedOut } from "./api/session.js";
import { leaveUploads } from "./api/uploads.js";
import { frame } from "./modules/frame/frame.js";
import { hasPage, open, start } from "./router.js";
import { applyScheme } from "./ui/scheme.js";

applyScheme();
keepInvitation();
onSignedOut((isEnded) => {
  leaveUploads();
  if (location.pathname === "/sign-in") return;
  const to = encodeURIComponent(location.pathname + location.search);
  open(`/sign-in?to=${to}${isEnded ? "&ended=" : ""}`, { replace: true });
});
// A link that is opened where the page is already shown loads nothing.
addEventListener("hashchange", () => { if (/^#(?:ticket|secret)=/.test(location.hash)) location.reload(); });

// A page that the browser kept has lost its streams.
addEventListener("pageshow", (event) => { if (event.persisted) location.reload(); });

const outcome = await finishSignIn();
if (outcome.kind === "done") history.replaceState(null, "", invitation() ? "/invitations" : outcome.to);
if (location.pathname !== "/sign-in") await joinTabs();
if (!isSignedIn() && location.pathname !== "/sign-in" && hasPage(location.pathname)) {
  history.replaceState(null, "", `/sign-in?to=${encodeURIComponent(location.pathname + location.search)}`);
}
start(frame(), outcome.kind === "failed" ? outcome.reason : "");
