// Reads again what has no events, when the person comes back to the page.

import { useEffect } from "preact/hooks";

export function useWhenSeen(read: () => Promise<unknown>, keys: readonly unknown[]): void {
  useEffect(() => {
    // A reading that fails leaves what is shown; coming back another time reads again.
    const seen = () => { if (document.visibilityState === "visible") void read().catch(() => {}); };
    document.addEventListener("visibilitychange", seen);
    return () => document.removeEventListener("visibilitychange", seen);
  }, [...keys]);
}
