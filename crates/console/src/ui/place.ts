// The surroundings of a page: its title, breadcrumbs and navigation. Pages set it, the frame shows it.

import { signal } from "@preact/signals";
import { useLayoutEffect } from "preact/hooks";
import type { MenuOptions } from "./menu-state";

export interface Crumb {
  name: string;
  href?: string;
  /** The menu that chooses another place of this kind. */
  others?: () => Promise<MenuOptions>;
}

export interface NavigationEntry {
  name: string;
  href: string;
  icon: string;
  here?: boolean;
}

export interface Place {
  title: string;
  crumbs: Crumb[];
  navigation: NavigationEntry[];
  /** The state of the page's stream of events, if it has one. */
  live?: "connecting" | "live" | "ended";
}

export const place = signal<Place>({ title: "", crumbs: [], navigation: [] });

/** Sets what stands around the page that renders it, again when `keys` change. */
export function usePlace(now: Place, keys: readonly unknown[]): void {
  useLayoutEffect(() => { place.value = now; }, [...keys]);
}
