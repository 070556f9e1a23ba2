// Actions that pages register: keys run them, the palette and the page of keys list them.

/**
 * @typedef {{ name: string, key?: string, group?: string, icon?: string, run?: () => unknown }} Action
 */

const PAUSE_MS = 1200;

/** @type {Set<() => Action[]>} */
const sets = new Set();

/** Registers actions until the returned function is called. They are asked for when they are needed. @param {() => Action[]} actions */
export function register(actions) {
  sets.add(actions);
  return () => void sets.delete(actions);
}

/** All actions at this moment, those of the page first. @returns {Action[]} */
export function actions() {
  return [...sets].reverse().flatMap((set) => set());
}

/** Whether the person types into what has the focus. @param {Event} event */
export function isTyping(event) {
  return event.target instanceof Element
    && event.target.closest("input:not([type=checkbox]), textarea, select, dialog, [popover], [contenteditable]") !== null;
}

/** Sends what is typed in `element` by Ctrl+Enter, where Enter may begin a line. @param {HTMLElement} element @param {() => void} send */
export function sendByKey(element, send) {
  element.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey) || event.isComposing) return;
    event.preventDefault();
    send();
  });
}

/** Runs actions by their keys; a key of two strokes is written with a space. */
export function listenToKeys() {
  let [begun, timer] = ["", 0];
  document.addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.altKey || event.isComposing) return;
    const held = event.ctrlKey || event.metaKey;
    const stroke = held ? `Ctrl+${event.key.toUpperCase()}` : event.key;
    // Behind a dialog nothing happens, wherever the focus is.
    if (document.querySelector("dialog[open]") || (!held && isTyping(event))) return;
    const key = begun ? `${begun} ${stroke}` : stroke;
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
