// Start: finish a sign-in, and show the page of the address in the frame.

import { batch, effect, signal, untracked } from "@preact/signals";
import { render, type ComponentType } from "preact";
import { useEffect } from "preact/hooks";
import { ahead, outlivePage } from "./api/client";
import { reasonOf } from "./api/errors";
import { invitation, keepInvitation } from "./api/people/invitation";
import { isReached } from "./api/persist";
import { finishSignIn, isSignedIn, joinTabs, onSignedOut } from "./api/session";
import { forgetAccount } from "./model/people/account";
import { pictures } from "./model/people/pictures";
import { dismissAway } from "./model/messages";
import { forgetChoices } from "./model/recent";
import { sendWaiting } from "./model/undo";
import { isUploading, leaveUploads } from "./model/content/uploads";
import { Frame } from "./pages/frame/frame";
import type { PageProps } from "./pages/parts/page-props";
import { hasPage, pageOf, type FoundPage } from "./routes";
import { text } from "./text";
import { listenToKeys } from "./ui/actions";
import { arrive, followLinks, open, path } from "./ui/address";
import { showPictures } from "./ui/avatar";
import { Failure } from "./ui/empty";
import { applyScheme } from "./ui/scheme";

interface Shown {
  path: string;
  Page: ComponentType<PageProps>;
  parameters: Record<string, string>;
}

const shown = signal<Shown | null>(null);
const failed = signal<unknown>(null);
const isWaiting = signal(false);
const SPINNER_MS = 300;

/** Loads the module of a page, and shows it unless the person has gone on. */
async function show(at: string, { load, parameters, ahead: addresses }: FoundPage): Promise<void> {
  const timer = setTimeout(() => { isWaiting.value = true; }, SPINNER_MS);
  ahead(addresses);
  try {
    const { default: Page } = await load();
    if (path.peek() !== at) return;
    batch(() => {
      arrive();
      [failed.value, shown.value] = [null, { path: at, Page, parameters }];
    });
  } catch (error) {
    failed.value = error;
  } finally {
    clearTimeout(timer);
    isWaiting.value = false;
  }
}

function signInPath({ isEnded = false } = {}): string {
  const to = encodeURIComponent(location.pathname + location.search);
  return `/sign-in?to=${to}${isEnded ? "&ended=" : ""}`;
}

function Application() {
  useEffect(() => effect(() => {
    const at = path.value;
    // What was deleted on the page before must not be read again by the next one.
    untracked(() => void sendWaiting());
    void show(at, pageOf(isSignedIn.value || !hasPage(at) ? at : "/sign-in"));
  }), []);
  const now = shown.value;
  return (
    <Frame path={now?.path ?? ""} isWaiting={isWaiting.value}>
      {failed.value !== null ? <Failure title={text.errors.title} reason={reasonOf(failed.value)}
        again={{ name: text.errors.again, run: () => location.reload() }} />
        : now && <now.Page key={now.path} parameters={now.parameters} />}
    </Frame>
  );
}

function followLeaving(): void {
  onSignedOut((isEnded) => {
    leaveUploads();
    forgetAccount();
    pictures.forget();
    forgetChoices();
    if (location.pathname !== "/sign-in") open(signInPath({ isEnded }), { replace: true });
  });
  effect(() => { if (isReached.value) dismissAway(); });
  addEventListener("online", () => { isReached.value = true; });
  addEventListener("beforeunload", (event) => { if (isUploading.peek() && isSignedIn.peek()) event.preventDefault(); });
  addEventListener("pagehide", () => { outlivePage(); void sendWaiting(); });
  // A link that is opened where the page is already shown loads nothing.
  addEventListener("hashchange", () => { if (/^#(?:ticket|secret)=/.test(location.hash)) location.reload(); });
  // A page that the browser kept has lost its streams.
  addEventListener("pageshow", (event) => { if (event.persisted) location.reload(); });
}

async function start(): Promise<void> {
  applyScheme();
  keepInvitation();
  followLeaving();
  const outcome = await finishSignIn();
  if (outcome.kind === "done") open(invitation() ? "/invitations" : outcome.to, { replace: true });
  if (outcome.kind === "failed") open(`/sign-in?notice=${encodeURIComponent(outcome.reason)}`, { replace: true });
  if (location.pathname !== "/sign-in") await joinTabs();
  const isOutside = !isSignedIn.peek() && location.pathname !== "/sign-in" && hasPage(location.pathname);
  if (isOutside) open(signInPath(), { replace: true });
  followLinks(hasPage);
  listenToKeys();
  showPictures((person) => pictures.of(person));
  document.body.replaceChildren();
  render(<Application />, document.body);
}

void start();
