// The actions of a view in space, with their keys.

import type { Direction } from "../../../model/content/view3d";
import { text } from "../../../text";
import type { Action } from "../../../ui/actions";
import type { OpenView } from "./open-view";

/** Directions of sight in the order of their keys, which begin with 1. */
export const VIEWS: readonly Direction[] = ["front", "back", "left", "right", "top", "bottom", "corner"];

export const KEYS = { fit: "f", zoom: "z", hide: "h", isolate: "i", ghost: "t", all: "a", parent: "p", explode: "x",
  section: "s", measure: "d" } as const;

export function viewerActions({ view, state, select, picture }: OpenView): Action[] {
  const group = text.view3d.title;
  const isShown = state.peek() === "shown";
  const current = view.current.peek();
  const action = (name: string, key: string, icon: string, act: () => unknown, isPossible = true): Action =>
    ({ name, key, icon, group, ...(isShown && isPossible ? { run: act } : {}) });
  const onCurrent = (name: string, key: string, icon: string, act: () => unknown) =>
    action(name, key, icon, act, current !== undefined);
  const parent = current === undefined ? null : view.tree.idOf(view.tree.parents[current] ?? -1);
  return [
    action(text.view3d.fit, KEYS.fit, "fit", () => view.fit()),
    onCurrent(text.view3d.zoom, KEYS.zoom, "search", () => view.fit("selected")),
    ...VIEWS.map((direction, at) =>
      action(text.view3d.views[direction], String(at + 1), "part", () => view.look(direction))),
    onCurrent(text.view3d.hide, KEYS.hide, "hidden", () => view.toggleHidden()),
    onCurrent(text.view3d.isolate, KEYS.isolate, "isolate", () => view.toggleIsolated()),
    onCurrent(text.view3d.ghost, KEYS.ghost, "ghost", () => view.toggleGhost()),
    action(text.view3d.showAll, KEYS.all, "visible", () => view.showAll()),
    action(text.view3d.parent, KEYS.parent, "part", () => select(parent), parent !== null),
    action(text.view3d.explode, KEYS.explode, "explode", () => view.toggleExploded()),
    action(text.view3d.section, KEYS.section, "section", () => view.toggleSection()),
    action(text.view3d.measure, KEYS.measure, "ruler", () => view.toggleMeasuring()),
    ...(picture && isShown ? [{ name: text.view3d.picture, icon: "picture", group, run: picture }] : []),
    { name: text.view3d.turn, key: "Arrows", shownKey: "← → ↑ ↓", group },
    { name: text.view3d.pan, key: "Shift+Arrows", shownKey: "Shift+← → ↑ ↓", group },
    { name: text.view3d.zooms, key: "+", shownKey: "+ −", group },
    { name: text.view3d.picks, key: "Enter", group },
  ];
}
