// Keys as people mean them: by the letter where the layout has it, else by the place on the keyboard.

/** True while an input method composes: its keys do nothing else. */
export const isComposing = (event: KeyboardEvent) => event.isComposing || event.keyCode === 229;

/** The letter or the sign of a key. Layouts without Latin letters are read by the key's place. */
export function letterOf({ key, code }: Pick<KeyboardEvent, "key" | "code">): string {
  if (key.length !== 1 || /[\x20-\x7e]/.test(key)) return key;
  const [, letter] = /^Key([A-Z])$/.exec(code) ?? [];
  const [, digit] = /^Digit(\d)$/.exec(code) ?? [];
  return letter?.toLowerCase() ?? digit ?? (code === "Slash" ? "/" : code === "Comma" ? "," : key);
}

/** A stroke as actions name it: `c`, `?`, `Ctrl+K`, `Shift+ArrowUp`. Cmd is Ctrl. */
export function strokeOf(event: KeyboardEvent): string {
  const letter = letterOf(event);
  const held = event.ctrlKey || event.metaKey ? "Ctrl+" : "";
  const shift = event.shiftKey && letter.length > 1 ? "Shift+" : "";
  return held + shift + (held ? letter.toUpperCase() : letter);
}

/** True for Ctrl+Enter, which sends what is typed where Enter may begin a line. */
export function isSend(event: KeyboardEvent): boolean {
  return event.key === "Enter" && (event.ctrlKey || event.metaKey) && !isComposing(event);
}

/** True if the person types into what has the focus. */
export function isTyping(event: Event): boolean {
  return (
    event.target instanceof Element &&
    event.target.closest("input:not([type=checkbox]), textarea, select, dialog, [popover], [contenteditable]") !== null
  );
}
