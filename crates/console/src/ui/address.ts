// The address of the page: its path and parameters as signals, and moving between addresses without loading again.

import { batch, computed, signal } from "@preact/signals";

const here = () => globalThis.location?.pathname ?? "/";
const parameters = () => globalThis.location?.search ?? "";

export const path = signal(here());
const searchText = signal(parameters());
/** The parameters of the page that is shown. While the next page loads, the one that is left doesn't see the next's. */
export const search = computed(() => new URLSearchParams(searchText.value));
let shownPath = here();

function follow(): void {
  batch(() => {
    path.value = here();
    if (path.value === shownPath) searchText.value = parameters();
  });
}

/** The page of the address is shown from now on. */
export function arrive(): void {
  shownPath = here();
  searchText.value = parameters();
}

/** Goes to an address of the console. */
export function open(address: string, { replace = false } = {}): void {
  if (replace) history.replaceState(null, "", address);
  else history.pushState(null, "", address);
  follow();
}

/** The page's address with other parameters; those that are empty are removed. */
export function addressWith(values: Record<string, string | null>): string {
  const url = new URL(location.href);
  for (const [name, value] of Object.entries(values)) {
    if (value) url.searchParams.set(name, value);
    else url.searchParams.delete(name);
  }
  return url.href;
}

/** Sets parameters of the address, or removes those that are empty. With `push` the way back leads to it as it was. */
export function setParameters(values: Record<string, string | null>, { push = false } = {}): void {
  const url = addressWith(values);
  if (url === location.href) return;
  if (push) history.pushState({ isStep: true }, "", url);
  else history.replaceState(history.state, "", url);
  follow();
}

/** Takes back a step that `setParameters` pushed, or else removes the parameter. */
export function stepBack(name: string): void {
  if ((history.state as { isStep?: boolean } | null)?.isStep) history.back();
  else setParameters({ [name]: null });
}

/** Follows links to addresses for which `hasPage` answers true, and the browser's way back. */
export function followLinks(hasPage: (path: string) => boolean): void {
  addEventListener("popstate", follow);
  document.addEventListener("click", (event) => {
    const link = event.target instanceof Element ? event.target.closest("a") : null;
    if (!link || event.defaultPrevented || event.button !== 0 || link.target || link.download) return;
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    if (link.origin !== location.origin || !hasPage(link.pathname)) return;
    event.preventDefault();
    if (link.hash && link.pathname === location.pathname) location.hash = link.hash;
    else open(link.pathname + link.search);
  });
}
