// The open menu. One is open at a time; `MenuHost` shows it.

import { signal } from "@preact/signals";
import type { ComponentChild } from "preact";

export interface MenuEntry {
  name: string;
  run: () => unknown;
  lead?: ComponentChild;
  checked?: boolean;
  danger?: boolean;
  key?: string;
  /** A line is drawn between entries of different parts. */
  part?: string;
}

export interface MenuOptions {
  label: string;
  /** Read while the menu is shown, so that entries follow signals. */
  entries: () => MenuEntry[];
  /** Name of the field that narrows the entries. */
  find?: string;
  /** The words that stand in place of entries when there is no entry. */
  empty?: string;
  /** Stays open for several choices. */
  stays?: boolean;
  /** Asks for entries instead of narrowing the known ones. */
  search?: (query: string) => Promise<MenuEntry[]>;
  /** Adds an entry for a text that no entry has. */
  create?: (query: string) => MenuEntry;
  /** The point of a context menu. */
  at?: { x: number; y: number };
}

export interface OpenMenu {
  anchor: Element;
  options: MenuOptions;
}

export const menu = signal<OpenMenu | null>(null);

/** Opens a menu at an element. */
export function openMenu(anchor: Element, options: MenuOptions): void {
  menu.value = { anchor, options };
}
