// Paths to come back to after signing in.

/** A path of this origin, even if the address held another. */
export function local(to: string | null): string {
  const url = new URL(to ?? "/", location.origin);
  return url.origin === location.origin && url.pathname !== "/sign-in" ? url.pathname + url.search : "/";
}
