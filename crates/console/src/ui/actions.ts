// Actions that pages register: keys run them, the palette and the page of keys list them.

import { useEffect, useRef } from "preact/hooks";
import { isComposing, isTyping, strokeOf } from "./keys";

export interface Action {
  name: string;
  /** A stroke as `strokeOf` names it; two strokes are written with a space. */
  key?: string;
  /** The key as it is shown, where that differs. */
  shownKey?: string;
  group?: string;
  icon?: string;
  run?: () => unknown;
}

const PAUSE_MS = 1200;
/** How long a page may take to open, and how often is looked for its action. */
const [THERE_MS, LOOK_MS] = [10_000, 50];
const sets = new Set<() => Action[]>();

/** All actions at this moment, those of the page first. */
export function actions(): Action[] {
  return [...sets].reverse().flatMap((set) => set());
}

/** Registers actions while the component is shown. They are asked for when they are needed. */
export function useActions(make: () => Action[]): void {
  const latest = useRef(make);
  latest.current = make;
  useEffect(() => {
    const set = () => latest.current();
    sets.add(set);
    return () => void sets.delete(set);
  }, []);
}

/** The button of the page with a name, if it can be pressed. */
export function buttonOf(name: string): HTMLButtonElement | undefined {
  const nameOf = (one: Element) => one.getAttribute("aria-label") ?? one.textContent;
  return [...document.querySelectorAll<HTMLButtonElement>("main button")]
    .find((one) => !one.disabled && nameOf(one) === name);
}

/** Runs an action by its name, or presses the button that is named so, once the page that has it is shown. */
export function runOnceThere(name: string): void {
  const until = Date.now() + THERE_MS;
  const look = () => {
    const run = actions().find((one) => one.name === name && one.run)?.run;
    const button = run ? undefined : buttonOf(name);
    if (run) void run();
    else if (button) button.click();
    else if (Date.now() < until) setTimeout(look, LOOK_MS);
  };
  setTimeout(look, LOOK_MS);
}

/** Runs actions by their keys. */
export function listenToKeys(): void {
  let [begun, timer] = ["", 0];
  document.addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.altKey || isComposing(event)) return;
    const held = event.ctrlKey || event.metaKey;
    // Behind a dialog nothing happens, wherever the focus is. Undo in a field is the field's own.
    if (document.querySelector("dialog[open]") || (isTyping(event) && (!held || strokeOf(event) === "Ctrl+Z"))) return;
    const key = begun ? `${begun} ${strokeOf(event)}` : strokeOf(event);
    const all = actions();
    const action = all.find((one) => one.run && one.key === key);
    clearTimeout(timer);
    begun = "";
    if (action) {
      event.preventDefault();
      void action.run?.();
    } else if (all.some((one) => one.key?.startsWith(`${key} `))) {
      begun = key;
      timer = window.setTimeout(() => { begun = ""; }, PAUSE_MS);
    }
  });
}
